import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readAddress } from '../src/web/address/read-address.js';
import { readAccountNumber, readRoutingNumber } from '../src/web/forms/ach.js';
import { cardBrand, groupedCard, groupedExpiry, readCardNumber, readCvc, readExpiry } from '../src/web/forms/card.js';
import { caretPosition } from '../src/web/forms/caret.js';
import { readDay } from '../src/web/forms/day.js';
import { groupedIban, readIban } from '../src/web/forms/iban.js';
import { plain } from '../src/web/forms/plain.js';
import { errorOf, readCode, readIdentifier, readName, type Reader } from '../src/web/forms/read.js';
import { readAmount } from '../src/web/money/read-amount.js';
import { shortest } from '../../../tests/services/stopwatch.js';

/** The value of a text, or the error that tells why it has none. */
const valueOf = (reader: Reader, text: string): string => {
  const reading = reader(text);
  return 'error' in reading ? reading.error : reading.value;
};

const expiry: Reader = (text) => readExpiry(text, 0);
const day: Reader = (text) => readDay(text, Infinity);
const euros: Reader = (text) => readAmount(text, { currency: 'EUR', decimals: 2 });

/** The digits of every script that this Node can write, zero first. */
const SCRIPTS = Intl.supportedValuesOf('numberingSystem')
  .map((numberingSystem) =>
    [...'0123456789'].map((digit) => Intl.NumberFormat('en', { numberingSystem }).format(+digit)),
  )
  .filter((digits) => digits.every((digit) => /^\p{Nd}$/u.test(digit)));

/** Invisible characters: direction marks, isolates, zero-width spaces and joiners, a byte order mark, a soft hyphen. */
const UNSEEN = [
  '\u200e',
  '\u200f',
  '\u061c',
  '\u202a',
  '\u202c',
  '\u2066',
  '\u2069',
  '\u200b',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
];
const BETWEEN = [
  '',
  '',
  '',
  ' ',
  '-',
  '.',
  '\u00a0',
  '\u202f',
  '\u2009',
  '\u3000',
  '‐',
  '–',
  '—',
  '−',
  'ー',
  '－',
  '・',
  '．',
  '·',
];
const WORDS = [
  'Card:',
  'Karte',
  'numéro :',
  'My number is',
  'رقم',
  'номер',
  '番号：',
  'Your code',
  '(work)',
  'Kontonummer:\n',
];

const script = fc.constantFrom(...SCRIPTS);
const unseen = fc.constantFrom('', '', '', ...UNSEEN);
const words = fc.constantFrom('', '', ...WORDS.map((word) => `${word} `));
const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));

/** The spellings of a text: its digits in any script, with characters between them that are unseen or separate. */
function spellingsOf(text: string, between: readonly string[] = BETWEEN): fc.Arbitrary<string> {
  const parts = [...text].map((one) =>
    fc.tuple(script, unseen, fc.constantFrom(...between), fc.boolean()).map(([native, mark, gap, isWide]) => {
      const digit = /\d/.test(one) ? (native[Number(one)] ?? one) : isWide ? wide(one) : one;
      return `${digit}${mark}${gap}`;
    }),
  );
  return fc.tuple(...parts).map((all) => all.join(''));
}

/** Spellings with words before or after. */
function sentencesOf(text: string, between?: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(words, spellingsOf(text, between), words)
    .map(([before, spelled, after]) => `${before}${spelled} ${after}`);
}

const wide = (character: string): string =>
  /[!-~]/.test(character) ? String.fromCharCode(character.charCodeAt(0) + 0xfee0) : character;

const card = digits(11, 18).map((start) => {
  const sum = [...start].reverse().reduce((total, one, at) => {
    const value = Number(one) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${start}${(10 - (sum % 10)) % 10}`;
});

const routing = digits(8, 8)
  .filter((start) => Number(start) > 0)
  .map((start) => {
    const sum = [...start].reduce((total, one, at) => total + Number(one) * ([3, 7, 1][at % 3] ?? 0), 0);
    return `${start}${(10 - (sum % 10)) % 10}`;
  });

const iban = fc
  .tuple(fc.constantFrom('DE', 'GB', 'NL', 'FR', 'MT'), fc.stringMatching(/^[A-Z]{0,4}[0-9]{10,24}[A-Z0-9]{0,2}$/))
  .map(([country, account]) => {
    const rest = [...`${account}${country}00`].reduce(
      (total, one) => (total * (/\d/.test(one) ? 10n : 100n) + BigInt(Number.parseInt(one, 36))) % 97n,
      0n,
    );
    return `${country}${String(98n - rest).padStart(2, '0')}${account}`;
  });

const spelled = (of: fc.Arbitrary<string>, between?: readonly string[]) =>
  of.chain((text) => fc.tuple(fc.constant(text), sentencesOf(text, between)));

it('this Node writes the digits of many scripts', () => expect(SCRIPTS.length).toBeGreaterThan(50));

describe('however it is spelled, the same value is read', () => {
  test.prop([spelled(card)])('of a card number', ([number, text]) => {
    expect(valueOf(readCardNumber, text)).toBe(number);
  });
  test.prop([spelled(digits(3, 4))])('of a security code', ([code, text]) => {
    expect(valueOf(readCvc, text)).toBe(code);
  });
  test.prop([spelled(digits(4, 8))])('of a one-time code', ([code, text]) => {
    expect(valueOf(readCode, text)).toBe(code);
  });
  test.prop([spelled(routing)])('of a routing number', ([number, text]) => {
    expect(valueOf(readRoutingNumber, text)).toBe(number);
  });
  test.prop([spelled(digits(4, 17))])('of an account number', ([number, text]) => {
    expect(valueOf(readAccountNumber, text)).toBe(number);
  });
  test.prop([
    iban.chain((text) =>
      fc.tuple(
        fc.constant(text),
        fc.constantFrom('', 'IBAN: ', 'iban ', 'IBAN', 'My IBAN is '),
        spellingsOf(text),
        fc.boolean(),
      ),
    ),
  ])('of an IBAN', ([number, before, text, isSmall]) => {
    expect(valueOf(readIban, before + (isSmall ? text.toLowerCase() : text))).toBe(number);
  });

  const date = fc
    .record({ month: fc.integer({ min: 1, max: 12 }), year: fc.integer({ min: 0, max: 99 }) })
    .chain(({ month, year }) => {
      const [mm, yy] = [String(month).padStart(2, '0'), String(year).padStart(2, '0')];
      const slash = fc.constantFrom('/', '-', '.', ' ', ' / ', '–', '／', '⁄', '・');
      const forms = slash.chain((by) =>
        fc.constantFrom(
          `${mm}${by}${yy}`,
          `${month}${by}${yy}`,
          `${mm}${by}20${yy}`,
          `20${yy}${by}${mm}`,
          `20${yy}${by}${month}`,
          `${mm}${yy}`,
          `${mm}20${yy}`,
          `20${yy}${mm}`,
        ),
      );
      return fc.tuple(
        fc.constant(`${mm}/${yy}`),
        forms.chain((text) => sentencesOf(text, [''])),
      );
    });
  test.prop([date])('of an expiry date', ([value, text]) => {
    expect(valueOf(expiry, text)).toBe(value);
  });

  const birth = fc
    .date({ min: new Date('1900-01-01'), max: new Date('2029-12-31'), noInvalidDate: true })
    .map((one) => one.toISOString().slice(0, 10));
  test.prop([spelled(birth, [''])])('of a date of birth', ([value, text]) => {
    expect(valueOf(day, text)).toBe(value);
  });

  const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }), digits(2, 2));
  const locale = fc.constantFrom(
    'en',
    'de',
    'fr',
    'es-MX',
    'de-CH',
    'de-AT',
    'en-IN',
    'hi',
    'ar-EG',
    'fa',
    'pl',
    'pt-PT',
    'sv',
    'bn',
    'my',
    'nl',
  );
  test.prop([amount, locale, script, fc.boolean()])(
    'of an amount in any region',
    ([whole, cents], region, native, isMoney) => {
      const format = new Intl.NumberFormat(region, {
        minimumFractionDigits: 2,
        ...(isMoney ? { style: 'currency', currency: 'EUR' } : {}),
      });
      const text = format
        .formatToParts(whole)
        .map(({ type, value }) => (type === 'fraction' ? [...cents].map((one) => native[Number(one)]).join('') : value))
        .join('');
      expect(valueOf(euros, text)).toBe(`${whole}.${cents}`);
    },
  );
});

describe('what cannot be read is never read as something else', () => {
  const trouble = fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...'0123456789') },
        fc.constantFrom(..."OolIxSB•*#,.-/'’:;²½⑤一Ⅳ٣५ ٫٬€$abéя"),
        fc.constantFrom(...UNSEEN),
      ),
      { maxLength: 24 },
    )
    .map((all) => all.join(''));
  const asDigits = (text: string): string =>
    [...text].flatMap((one) => SCRIPTS.map((digits) => digits.indexOf(one)).find((at) => at >= 0) ?? []).join('');

  test.prop([trouble])('a number has exactly the digits of its text', (text) => {
    for (const reader of [readCardNumber, readCvc, readRoutingNumber, readAccountNumber]) {
      const reading = reader(text);
      if (!('error' in reading)) expect(reading.value).toBe(asDigits(text));
    }
  });

  test.prop([trouble])('an amount has exactly the digits of its text', (text) => {
    const reading = euros(text);
    const significant = (all: string): string => asDigits(all).replace(/^0+/, '');
    if (!('error' in reading)) expect(significant(reading.value)).toBe(significant(text));
  });

  test.prop([trouble])('what is shown means the same', (text) => {
    for (const reader of [
      readCardNumber,
      readCvc,
      readAccountNumber,
      readCode,
      readIban,
      expiry,
      day,
      euros,
      readName,
      readIdentifier,
    ]) {
      const reading = reader(text);
      if (!('error' in reading)) expect(reader(reading.shown)).toEqual(reading);
    }
  });

  test.prop([card, fc.nat(), fc.constantFrom(...'OolISBx•*#é²½一/')])(
    'its character is named',
    (number, place, odd) => {
      const at = place % number.length;
      for (const text of [number.slice(0, at) + odd + number.slice(at), `${number} ${odd}`, `${odd} ${number}`])
        expect(valueOf(readCardNumber, text)).toBe(`cannot_read ${odd}`);
    },
  );

  it.each([
    [readCardNumber, '4242 4242 4242 42O', 'cannot_read O'],
    [readCardNumber, 'xxxx xxxx xxxx 4242', 'cannot_read x'],
    [readCardNumber, '•••• 4242', 'cannot_read •'],
    [readCardNumber, '4242 4242 4242 4242 12/34', 'cannot_read /'],
    [readCardNumber, '4242424242424242 1234', 'not_a_card_number'],
    [readCardNumber, 'card', 'not_a_card_number'],
    [readCardNumber, '\u200e \u00ad', 'required'],
    [readIban, 'DE89 3704 0044 0532 0130 0О', 'cannot_read О'],
    [readIban, 'DE89 3704 0044 0532 0130 00ß', 'cannot_read ß'],
    [readIban, 'DE88370400440532013000', 'not_an_iban'],
    [expiry, '13/34', 'not_an_expiry'],
    [expiry, '123', 'not_an_expiry'],
    [expiry, '12 Dec 34', 'cannot_read D'],
    [day, '1990-02-30', 'not_a_day'],
    [day, '05/06/1990', 'not_a_day'],
    [euros, '1.000', 'two_amounts'],
    [euros, '1,000', 'two_amounts'],
    [euros, '$100', 'cannot_read $'],
    [euros, '100 USD', 'cannot_read USD'],
    [euros, '1e3', 'cannot_read e'],
    [euros, '-1', 'cannot_read -'],
    [euros, '1 00', 'not_an_amount'],
    [euros, '1.005,5.0', 'not_an_amount'],
    [euros, '0.125', 'not_an_amount'],
    [euros, '1'.repeat(13), 'not_an_amount'],
    [euros, 'a lot', 'not_an_amount'],
  ])('%# %s', (reader, text, error) => expect(errorOf(reader(text))).toBe(error));
});

it('long text is read in time that grows with its length only', async () => {
  const address: Reader = (text) => readAddress(text, 'base');
  const readers = [readCardNumber, readIban, readCode, readName, expiry, day, euros, address];
  const parts = ['lorem ipsum 1 ', '.', ',', '1,', '1 ', 'x, ', '-', 'a', '\u{1d7d7}'];
  const texts = parts.map((part) => `a${part.repeat(60_000 / part.length)}x`);
  const measure = async (): Promise<number> => {
    const start = performance.now();
    for (const reader of readers) for (const text of texts) reader(text);
    return performance.now() - start;
  };
  // With its square, it takes a minute.
  expect(await shortest(measure, 10_000)).toBeLessThan(10_000);
});

describe('what people write', () => {
  it.each([
    [expiry, '12-2034', '12/34'],
    [expiry, '2034-12', '12/34'],
    [expiry, '122034', '12/34'],
    [expiry, '203412', '12/34'],
    [expiry, 'valid thru 12 / 34', '12/34'],
    [readCode, '123 456 is your code. Don’t share it.', '123456'],
    [readCode, 'A1b2-C3', 'A1b2-C3'],
    [readCardNumber, 'Visa: 4242 4242 4242 4242.', '4242424242424242'],
    [readIban, 'IBAN: DE89 3704 0044 0532 0130 00 (Commerzbank)', 'DE89370400440532013000'],
    [readRoutingNumber, 'Routing no. 021000021', '021000021'],
    [day, '1990.5.7', '1990-05-07'],
    [euros, '100', '100'],
    [euros, ' 0100.50 ', '100.50'],
    [euros, '١٠٠٫٥٠', '100.50'],
    [euros, '.5', '0.5'],
    [euros, 'EUR 100,-', '100'],
    [euros, '12,34,567.50', '1234567.50'],
    [euros, '1.000.000', '1000000'],
    [euros, '1 000', '1000'],
    [readName, ' Мария\u200e  Луиза ', 'Мария Луиза'],
    [readName, 'علی\u200cرضا', 'علی\u200cرضا'],
    [readIdentifier, 'ＡＢ－１２３\u200b', 'AB-123'],
  ])('%# %s', (reader, text, value) => expect(valueOf(reader, text)).toBe(value));

  it('is shown as it was read', () => {
    const shown = (reader: Reader, text: string) => reader(text);
    expect(shown(readCardNumber, '٤٢٤٢424242424242')).toEqual({
      value: '4242424242424242',
      shown: '4242 4242 4242 4242',
    });
    expect(shown(readIban, 'de89370400440532013000')).toMatchObject({ shown: 'DE89 3704 0044 0532 0130 00' });
    expect(shown(euros, '1.234,50')).toEqual({ value: '1234.50', shown: '1234,50' });
  });
});

describe('cards and accounts', () => {
  it.each(['4242 4242 4242 4242', '4000-0000-0000-0002', '378282246310005'])(
    'accepts a card number with a correct check digit: %s',
    (text) => expect(errorOf(readCardNumber(text))).toBeNull(),
  );
  it.each(['4242424242424241', '4242'])('rejects an invalid card number: %s', (text) =>
    expect(errorOf(readCardNumber(text))).toBe('not_a_card_number'),
  );

  it('accepts a card through the last day of its month', () => {
    expect(errorOf(readExpiry('02/30', Date.UTC(2030, 1, 28, 23, 59)))).toBeNull();
    expect(errorOf(readExpiry('02/30', Date.UTC(2030, 2, 1)))).toBe('card_expired');
  });

  it('formats while typing, and never prevents deleting', () => {
    expect(groupedCard('42424242424')).toBe('4242 4242 424');
    expect(groupedExpiry('12', '1')).toBe('12/');
    expect(groupedExpiry('12', '12/')).toBe('12');
    expect(groupedExpiry('1234', '123')).toBe('12/34');
    // The buyer types a slash after the automatic one.
    expect(groupedExpiry('12//', '12/')).toBe('12/');
    // The year is first, or has four digits.
    expect(
      ['20', '2034', '2034-12', '12/2034', '122034'].map((text) => groupedExpiry(text, text.slice(0, -1))),
    ).toEqual([...['20', '2034', '2034-12', '12/2034', '122034']]);
    expect(groupedExpiry('١٢', '١')).toBe('12/');
    expect(groupedIban('de89370400440532013000')).toBe('DE89 3704 0044 0532 0130 00');
  });

  test.prop([fc.stringMatching(/^[0-9]{1,30}$/)])('grouping keeps all digits', (text) => {
    expect(groupedCard(text).replaceAll(' ', '')).toBe(text);
  });

  test.prop([fc.string({ unit: 'grapheme' })])('grouping keeps all letters and digits', (text) => {
    const kept = (all: string): string =>
      plain(all)
        .replace(/[\s./-]/g, '')
        .toLowerCase();
    for (const group of [groupedCard, groupedIban, (one: string) => groupedExpiry(one, '')])
      expect(kept(group(text))).toBe(kept(text));
  });

  it.each([
    ['4', 'Visa'],
    ['5555', 'Mastercard'],
    ['2221', 'Mastercard'],
    ['2720 9', 'Mastercard'],
    ['37', 'American Express'],
    ['6011', 'Discover'],
    ['3530', 'JCB'],
    ['62', 'UnionPay'],
    ['2220', null],
    ['', null],
  ])('recognizes the brand of a card by its first digits: %s is %s', (text, brand) =>
    expect(cardBrand(text)).toBe(brand),
  );

  it('groups an American Express card as printed', () => {
    expect(groupedCard('378282246310005')).toBe('3782 822463 10005');
    expect(groupedCard('37828')).toBe('3782 8');
  });

  it.each([
    // The typed text and the formatted text, with | for the caret.
    ['4242 9|4242 4242 4242', '4242 9|424 2424 2424 2'],
    ['4242 942|42 4242 4242', '4242 942|4 2424 2424 2'],
    ['4242|4242', '4242| 4242'],
    ['|4242 4242 4', '|4242 4242 4'],
    ['42424|', '4242 4|'],
  ])('the caret stays at its digit: %s', (before, after) => {
    const [typed, caret] = [before.replace('|', ''), before.indexOf('|')];
    const laidOut = groupedCard(typed);
    const at = caretPosition(laidOut, { typed, caret });
    expect(`${laidOut.slice(0, at)}|${laidOut.slice(at)}`).toBe(after);
  });

  test.prop([fc.integer({ min: 4, max: 21 }), fc.integer({ min: 1, max: 9 })])(
    'detects every single wrong digit of an IBAN',
    (place, by) => {
      const right = 'DE89370400440532013000';
      expect(errorOf(readIban(right))).toBeNull();
      const wrong = [...right];
      wrong[place] = String((Number(wrong[place]) + by) % 10);
      expect(errorOf(readIban(wrong.join('')))).toBe('not_an_iban');
    },
  );
});

describe('an account in the United States', () => {
  test.prop([fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 9 })])(
    'detects every single wrong digit of a routing number',
    (place, by) => {
      const right = '021000021';
      expect(errorOf(readRoutingNumber(right))).toBeNull();
      const wrong = [...right];
      wrong[place] = String((Number(wrong[place]) + by) % 10);
      expect(errorOf(readRoutingNumber(wrong.join('')))).toBe('not_a_routing_number');
    },
  );

  it('reports missing or invalid numbers', () => {
    expect([readRoutingNumber(' '), readAccountNumber('')].map(errorOf)).toEqual(['required', 'required']);
    for (const text of ['123', '123456789012345678'])
      expect(errorOf(readAccountNumber(text))).toBe('not_an_account_number');
    for (const text of ['000000000', '02100002']) expect(errorOf(readRoutingNumber(text))).toBe('not_a_routing_number');
  });
});
