import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIban } from '../../../src/domain/intent/attempt-fields.js';
import { forAll } from '../for-all.js';

/** Examples from the banks' registry. */
const REGISTERED = [
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'FR1420041010050500013M02606',
  'NO9386011117947',
  'MT84MALT011000012345MTLCAST001S',
  'CH9300762011623852957',
  'NL91ABNA0417164300',
  'PL61109010140000071219812874',
];

describe('an IBAN', () => {
  it.each(REGISTERED)('%s has valid check digits, also in groups and in any case', (iban) => {
    expect(isIban(iban)).toBe(true);
    expect(isIban(iban.toLowerCase().replace(/.{4}/g, '$& '))).toBe(true);
  });

  forAll([fc.constantFrom(...REGISTERED), fc.nat(40), fc.nat(8)])(
    'is invalid with one digit changed',
    (iban, place, by) => {
      const at = place % iban.length;
      const digit = iban.charAt(at);
      fc.pre(/[0-9]/.test(digit));
      expect(isIban(`${iban.slice(0, at)}${(Number(digit) + 1 + by) % 10}${iban.slice(at + 1)}`)).toBe(false);
    },
  );

  it.each([
    '',
    'DE',
    'DE89',
    '89370400440532013000',
    'D189370400440532013000',
    'DEX9370400440532013000',
    'DE89-3704-0044-0532-0130-00',
    'ÄE89370400440532013000',
  ])('%j is not one', (text) => {
    expect(isIban(text)).toBe(false);
  });
});
