import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fingerprintText, idempotencyScope, readIdempotencyKey } from '../../../src/domain/idempotency/idempotency.js';
import { forAll } from '../for-all.js';

describe('the idempotency key', () => {
  it.each(['8e03978e-40d5-43e8-bc93-6894a57f9324', '!', '~', 'a'.repeat(255)])('%s is usable', (key) => {
    expect(readIdempotencyKey(key, true)._unsafeUnwrap()).toBe(key);
  });

  it('a missing required key is refused with idempotency_key_required', () => {
    expect(readIdempotencyKey(null, true)._unsafeUnwrapErr().code).toBe('idempotency_key_required');
  });

  it('a missing optional key is null', () => {
    expect(readIdempotencyKey(null, false)._unsafeUnwrap()).toBeNull();
  });

  it.each([
    ['no character', ''],
    ['256 characters', 'a'.repeat(256)],
    ['a space', 'a b'],
    ['only a space', ' '],
    ['a trailing newline', 'abc\n'],
    ['a tab', 'a\tb'],
    ['a DEL', 'a\u007f'],
    ['a NUL', 'a\u0000'],
    ['a letter beyond ASCII', 'ключ'],
    ['Latin-1', 'clé'],
  ])('with %s answers idempotency_key_invalid, required or not', (_what, key) => {
    expect(readIdempotencyKey(key, true)._unsafeUnwrapErr().code).toBe('idempotency_key_invalid');
    expect(readIdempotencyKey(key, false)._unsafeUnwrapErr().code).toBe('idempotency_key_invalid');
  });

  forAll([fc.string({ unit: 'binary', maxLength: 300 })])(
    'is usable exactly when it is 1 to 255 visible ASCII characters',
    (key) => {
      const usable =
        key.length >= 1 && key.length <= 255 && [...key].every((character) => character >= '!' && character <= '~');
      expect(readIdempotencyKey(key, true).isOk()).toBe(usable);
    },
  );
});

describe('the scope of a key', () => {
  const id = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 });
  const scoped = fc.record({
    partnerId: id,
    mode: fc.constantFrom('test' as const, 'live' as const),
    sessionId: fc.option(id, { nil: null }),
  });

  forAll([scoped, scoped])('is shared only within one partner, mode and, on embed calls, session', (one, other) => {
    const same = one.partnerId === other.partnerId && one.mode === other.mode && one.sessionId === other.sessionId;
    expect(idempotencyScope(one, one.sessionId) === idempotencyScope(other, other.sessionId)).toBe(same);
  });

  it('differs by mode and by session of one partner', () => {
    const scopes = [
      idempotencyScope({ partnerId: 'p', mode: 'test' }, null),
      idempotencyScope({ partnerId: 'p', mode: 'live' }, null),
      idempotencyScope({ partnerId: 'p', mode: 'test' }, 's'),
      idempotencyScope({ partnerId: 'p', mode: 'live' }, 's'),
    ];
    expect(new Set(scopes).size).toBe(4);
  });
});

it('the fingerprint covers method, path and body', () => {
  const texts = [
    fingerprintText('POST', '/v1/a', '{}'),
    fingerprintText('GET', '/v1/a', '{}'),
    fingerprintText('POST', '/v1/b', '{}'),
    fingerprintText('POST', '/v1/a', '{"a":1}'),
  ];
  expect(new Set(texts).size).toBe(4);
});
