import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isFresh, parseSignatureHeader, signatureHeader, textToSign } from '../../../src/domain/webhook/signature.js';
import { forAll } from '../for-all.js';

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

describe('the signature header', () => {
  it('covers <t>.<rawBody> and has the form t=<unix>,v1=<hex>', () => {
    expect(textToSign(1700000000, '{"a":1}')).toBe('1700000000.{"a":1}');
    expect(signatureHeader(1700000000, [A])).toBe(`t=1700000000,v1=${A}`);
  });

  it('has another v1 for each secret in its grace period, newest first', () => {
    expect(signatureHeader(1, [A, B])).toBe(`t=1,v1=${A},v1=${B}`);
    expect(parseSignatureHeader(`t=1,v1=${A},v1=${B}`)).toEqual({ t: 1, v1: [A, B] });
  });

  forAll([fc.nat(999_999_999_999), fc.array(hex, { minLength: 1, maxLength: 4 })])(
    'reads back what was written',
    (t, v1) => {
      expect(parseSignatureHeader(signatureHeader(t, v1))).toEqual({ t, v1 });
    },
  );

  it.each([
    ['another order', `v1=${A},t=1`],
    ['space after commas', `t=1, v1=${A}`],
    ['unknown schemes', `v0=zz,t=1,v2=${B},v1=${A},x=`],
    ['an unusable v1 next to a good one', `t=1,v1=zz,v1=${A}`],
    ['a part without a value', `t,t1,v1,v1x,t=1,v1=${A},`],
  ])('is read with %s', (_what, header) => {
    expect(parseSignatureHeader(header)).toEqual({ t: 1, v1: [A] });
  });

  it.each([
    '',
    ',',
    '=',
    't=1',
    `v1=${A}`,
    `t=,v1=${A}`,
    `t=-1,v1=${A}`,
    `t=1.5,v1=${A}`,
    `t=1e3,v1=${A}`,
    `t=0x1,v1=${A}`,
    `t=NaN,v1=${A}`,
    `t=1234567890123,v1=${A}`,
    `t=1,t=2,v1=${A}`,
    `t=1,t=1,v1=${A}`,
    `T=1,V1=${A}`,
    `t=1,v1=${A}${A}`,
    `t=1,v1=${A.slice(1)}`,
    `t=1,v1=${A.toUpperCase()}`,
    `t=1,v1=`,
    `t=1;v1=${A}`,
    `t==1,v1=${A}`,
    `t=1,v1==${A}`,
  ])('%j is not one', (header) => {
    expect(parseSignatureHeader(header)).toBeNull();
  });

  forAll([fc.string({ unit: fc.constantFrom(...'tv1=, 0a', A, 'v1=', 't=') })])(
    'whatever arrives, it is refused or has a whole t and a v1',
    (header) => {
      const read = parseSignatureHeader(header);
      if (read === null) return;
      expect(Number.isSafeInteger(read.t)).toBe(true);
      expect(read.v1.length).toBeGreaterThan(0);
      for (const signature of read.v1) expect(signature).toMatch(/^[0-9a-f]{64}$/);
    },
  );
});

describe('freshness', () => {
  it.each([
    [0, true],
    [300, true],
    [301, false],
    [-300, true],
    [-301, false],
  ])('a signature %i seconds old is fresh: %s', (age, fresh) => {
    expect(isFresh(1_700_000_000 - age, 1_700_000_000, 300)).toBe(fresh);
  });

  it('a tolerance of 0 requires the same second', () => {
    expect(isFresh(5, 5, 0)).toBe(true);
    expect(isFresh(4, 5, 0)).toBe(false);
  });
});
