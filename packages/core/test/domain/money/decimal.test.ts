import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  add,
  compare,
  divideDown,
  divideSignificant,
  equals,
  isDecimal,
  isPositive,
  multiply,
  normalise,
  subtract,
  toFixedDown,
} from '../../../src/domain/money.js';
import { forAll } from '../for-all.js';

/** Decimals of up to 40 characters, including leading and trailing zeros and "-0". */
const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'00123456789'), minLength: 1, maxLength: max });
const decimal = fc
  .tuple(fc.constantFrom('', '', '-'), digits(20), fc.option(digits(18), { nil: null }))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`);

const CANONICAL = /^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/;
const SCALE = 40;

/** The value as an integer scaled by 10^40, with arithmetic that is easy to verify. */
function units(text: string): bigint {
  const negative = text.startsWith('-');
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const scaled = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return negative ? -scaled : scaled;
}

const ONE = 10n ** BigInt(SCALE);

describe('decimal strings', () => {
  it.each([
    ['100.0', '100.00'],
    ['007', '7'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['0.10', '0.1'],
  ])('%s and %s are one amount', (a, b) => {
    expect(equals(a, b)).toBe(true);
    expect(normalise(a)).toBe(normalise(b));
  });

  it.each([
    '',
    '-',
    '.',
    '1.',
    '.1',
    '+1',
    '1e2',
    '1E2',
    '0x10',
    ' 1',
    '1 ',
    '1\n',
    '1,0',
    '1_0',
    '١',
    '１',
    'NaN',
    'Infinity',
    '--1',
    '1.2.3',
  ])('%j is not a decimal and is never calculated with', (text) => {
    expect(isDecimal(text)).toBe(false);
    expect(() => normalise(text)).toThrow(TypeError);
    expect(() => equals('1', text)).toThrow(TypeError);
  });

  it('represents values that binary fractions cannot', () => {
    expect(add('0.1', '0.2')).toBe('0.3');
    expect(multiply('1.10', '1.10')).toBe('1.21');
    expect(subtract('10000000000000000000000000000000000000.01', '0.02')).toBe(
      '9999999999999999999999999999999999999.99',
    );
  });

  it('rounds towards zero only if the name says so', () => {
    expect(divideDown('2', '3', 4)).toBe('0.6666');
    expect(divideDown('-2', '3', 4)).toBe('-0.6666');
    expect(divideSignificant('1', '3000', 18)).toBe('0.000333333333333333333');
    expect(divideSignificant('1', '0.92', 18)).toBe('1.08695652173913043');
    expect(divideSignificant('-2000', '3', 5)).toBe('-666.66');
    expect(divideSignificant('1000000', '3', 2)).toBe('333333');
    expect(toFixedDown('1.999', 2)).toBe('1.99');
    expect(toFixedDown('-0.001', 2)).toBe('0.00');
    expect(toFixedDown('5', 2)).toBe('5.00');
    expect(toFixedDown('5.9', 0)).toBe('5');
  });

  it('refuses to divide by zero in any notation', () => {
    expect(() => divideDown('1', '-0.00', 2)).toThrow(RangeError);
    expect(() => divideSignificant('1', '-0.00', 2)).toThrow(RangeError);
  });

  forAll([decimal, decimal])('add, subtract, multiply and compare agree with integer arithmetic', (a, b) => {
    expect(units(add(a, b))).toBe(units(a) + units(b));
    expect(units(subtract(a, b))).toBe(units(a) - units(b));
    expect(units(multiply(a, b)) * ONE).toBe(units(a) * units(b));
    expect(compare(a, b)).toBe(units(a) < units(b) ? -1 : units(a) > units(b) ? 1 : 0);
    expect(isPositive(a)).toBe(units(a) > 0n);
  });

  forAll([decimal, decimal, fc.nat(18)])('division is the quotient cut off, never rounded up', (a, b, scale) => {
    fc.pre(units(b) !== 0n);
    expect(units(divideDown(a, b, scale))).toBe(
      ((units(a) * 10n ** BigInt(scale)) / units(b)) * 10n ** BigInt(SCALE - scale),
    );
  });

  forAll([decimal, decimal, fc.integer({ min: 1, max: 18 })])(
    'a rate keeps the digits asked for and is less than one of the last too small',
    (a, b, count) => {
      fc.pre(units(b) !== 0n);
      const rate = divideSignificant(a, b, count);
      const kept = rate.replace(/[-.]/g, '').replace(/^0+/, '');
      expect(kept.length <= count || !rate.includes('.')).toBe(true);
      const back = multiply(rate, b);
      const short = subtract(a, back).replace('-', '');
      // One unit of the last digit, relative to the quotient.
      expect(compare(multiply(short, `1${'0'.repeat(count - 1)}`), a.replace('-', ''))).not.toBe(1);
    },
  );

  forAll([decimal, fc.nat(20)])('money is shown with exactly the digits asked for', (a, scale) => {
    const shown = toFixedDown(a, scale);
    expect(shown).toMatch(scale === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${scale}}$`));
    expect(units(shown)).toBe((units(a) / 10n ** BigInt(SCALE - scale)) * 10n ** BigInt(SCALE - scale));
    expect(shown).not.toMatch(/^-[0.]*$/);
  });

  forAll([decimal, decimal])('no result has an exponent, a minus zero or a zero too many', (a, b) => {
    for (const result of [normalise(a), add(a, b), subtract(a, b), multiply(a, b)]) expect(result).toMatch(CANONICAL);
  });

  forAll([decimal])('normalising keeps the value and is done once', (a) => {
    expect(units(normalise(a))).toBe(units(a));
    expect(normalise(normalise(a))).toBe(normalise(a));
  });
});
