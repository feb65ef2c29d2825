import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRoutingNumber } from '../../../src/domain/intent/attempt-fields.js';
import { forAll } from '../for-all.js';

/** From the Federal Reserve's directory, and the one of test accounts. */
const REGISTERED = ['011000015', '021000021', '026009593', '091000019', '121000248', '322271627', '110000000'];

describe('a routing number', () => {
  it.each(REGISTERED)('%s has a valid check digit', (number) => {
    expect(isRoutingNumber(number)).toBe(true);
  });

  forAll([fc.stringMatching(/^[0-9]{8}$/)])('has exactly one check digit for its first eight digits', (digits) => {
    fc.pre(digits !== '00000000');
    const fitting = Array.from({ length: 10 }, (_, last) => `${digits}${last}`).filter(isRoutingNumber);
    expect(fitting).toHaveLength(1);
  });

  forAll([fc.constantFrom(...REGISTERED), fc.nat(8), fc.nat(8)])(
    'is refused with one digit changed',
    (number, at, by) => {
      const digit = (Number(number.charAt(at)) + 1 + by) % 10;
      expect(isRoutingNumber(`${number.slice(0, at)}${digit}${number.slice(at + 1)}`)).toBe(false);
    },
  );

  it.each(['', '000000000', '02100002', '0210000210', '02100002a', ' 021000021', '021 000 021', '٠٢١٠٠٠٠٢١'])(
    '%j is refused',
    (text) => {
      expect(isRoutingNumber(text)).toBe(false);
    },
  );
});
