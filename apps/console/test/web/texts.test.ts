import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { curlOf } from '../../src/web/format/curl.js';
import { money, relativeTime } from '../../src/web/format/format.js';
import { en } from '../../src/web/i18n/en.js';
import { LANGUAGES, languageOf, messagesOf } from '../../src/web/i18n/messages.js';
import { labelOf, typeOf } from '../../src/web/ui/search.js';
import type { Delivery } from '../../src/web/wire/types.js';

describe('texts', () => {
  it.each(LANGUAGES)('are complete in %s, down to the names of statuses and fields', async (language) => {
    const messages = await messagesOf(language);
    expect(namesIn(messages)).toEqual(namesIn(en));
  });

  it('are in the first language that is spoken', () => {
    expect(languageOf(['fr-FR', 'ar-EG', 'de'])).toBe('ar');
    expect(languageOf(['fr'])).toBe('en');
  });
});

it('the kind of a transfer that was found is said in the language of the page', async () => {
  const found = { type: 'operation', id: 'op', label: null, of: '0xab', transfer: 'replaced_send' };
  const labels = LANGUAGES.map(async (language) => labelOf(found, await messagesOf(language)));
  expect(await Promise.all(labels)).toEqual(['Replaced send', 'Ersetzte Sendung', 'إرسال مُستبدَل']);
  expect(labelOf({ type: 'operation', id: 'op', label: null, of: '0xab' }, en)).toBe('of 0xab');
  expect(labelOf({ ...found, transfer: 'new_kind' }, en)).toBe('new_kind');
});

it('the type of what was found, and what it belongs to, are said in the language of the page', async () => {
  const messages = await Promise.all(LANGUAGES.map(messagesOf));
  const found = { type: 'pool_trade', id: 'trade', label: null, of: '0xab' };
  expect(messages.map((t) => typeOf(found, t))).toEqual(['pool trade', 'Pool-Handel', 'صفقة مجمّع']);
  expect(messages.map((t) => labelOf(found, t))).toEqual(['of 0xab', 'zu 0xab', 'يخص 0xab']);
  expect(messages.map((t) => labelOf({ type: 'delivery', id: 'd', label: 'delivered' }, t))).toEqual(
    messages.map((t) => t.status['delivered']),
  );
  expect(typeOf({ type: 'new_type' }, en)).toBe('new type');
});

describe('Arabic texts', () => {
  it('have the form of a noun that its number takes', async () => {
    const { results, time } = await messagesOf('ar');
    expect([0, 1, 2, 3, 11, 100, 103, 111].map(results)).toEqual([
      'لا نتائج',
      'نتيجة واحدة',
      'نتيجتان',
      '3 نتائج',
      '11 نتيجة',
      '100 نتيجة',
      '103 نتائج',
      '111 نتيجة',
    ]);
    expect([1, 2, 10, 99].map(time.changed)).toEqual(['تغيير واحد', 'تغييران', '10 تغييرات', '99 تغييرًا']);
  });

  it('isolate ids and code that they contain', async () => {
    const { time, file, fields } = await messagesOf('ar');
    expect(time.step(1, 2, 'gate_session.created')).toContain('\u2068gate_session.created\u2069');
    expect(file.of('65f0')).toContain('\u206865f0\u2069');
    expect(fields['accent_color']).toContain('\u2068#rrggbb\u2069');
  });
});

describe('amounts', () => {
  it('are formatted for each language, and keep their digits', () => {
    expect(money('en', '1234.50', 'EUR')).toBe('€1,234.50');
    expect(money('de', '1234.50', 'EUR')).toBe('1.234,50\u00a0€');
    expect(money('en', '0.000000000000000001', 'ETH')).toBe('0.000000000000000001 ETH');
    expect(money('en', null, 'USDC')).toBe('USDC');
    expect(money('en', 'odd', 'EUR')).toBe('odd EUR');
  });

  const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.stringMatching(/^[0-9]{1,18}$/));
  test.prop([decimal, fc.constantFrom(...LANGUAGES)])(
    'never lose a digit at any length',
    ([whole, fraction], locale) => {
      expect(money(locale, `${whole}.${fraction}`, 'USDC').replace(/\D/g, '')).toBe(`${whole}${fraction}`);
    },
  );
});

it('distances in time have the largest unit that fits', () => {
  expect(relativeTime('en', 0, 90_000)).toBe('1 minute ago');
  expect(relativeTime('en', 2 * 86_400_000, 0)).toBe('in 2 days');
  expect(relativeTime('de', 0, 3_600_000)).toBe('vor 1 Stunde');
});

it('a copied command cannot run anything that the payload contains', () => {
  // Only these two fields are read.
  const delivery = { url: 'https://shop.example/hooks', payload: `{"a":"'; rm -rf ~; '"}` } as Delivery;
  expect(curlOf(delivery)).toContain(String.raw`--data-raw '{"a":"'\''; rm -rf ~; '\''"}'`);
});

/** The paths of all texts. */
function namesIn(messages: object, at = ''): readonly string[] {
  return Object.entries(messages)
    .flatMap(([name, value]) => (typeof value === 'object' ? namesIn(value, `${at}${name}.`) : [`${at}${name}`]))
    .toSorted();
}
