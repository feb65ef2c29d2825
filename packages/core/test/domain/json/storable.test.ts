import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasBadCharacters, storable } from '../../../src/domain/json.js';

it('replaces NUL and lone surrogates in every text at any depth, and changes nothing else', () => {
  const given = {
    message: 'no \u0000',
    hash: 'a\ud800b\ud83d\ude00',
    steps: [{ at: 1, note: '\udc00' }, null],
    isFinal: true,
  };
  const kept = {
    message: 'no \ufffd',
    hash: 'a\ufffdb\ud83d\ude00',
    steps: [{ at: 1, note: '\ufffd' }, null],
    isFinal: true,
  };
  expect(storable(given)).toEqual(kept);
});

it('leaves no text that a store could refuse', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 8 }), (units) => {
      expect(hasBadCharacters(storable(String.fromCharCode(...units)))).toBe(false);
    }),
  );
});
