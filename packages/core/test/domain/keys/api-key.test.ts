import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  checkHost,
  checkKeyLife,
  checkKeyType,
  keyPrefix,
  parseKey,
  readBearer,
  unknownKey,
  type ApiKey,
  type KeyType,
  type PresentedKey,
} from '../../../src/domain/keys/api-key.js';
import { MODES, type Mode } from '../../../src/domain/mode.js';
import { NOW } from '../builders.js';
import { forAll } from '../for-all.js';

const SECRET = 'sk_test_4f9aX2bQ7c';

describe('the Authorization header', () => {
  it.each([`Bearer ${SECRET}`, `bearer ${SECRET}`, `  Bearer   ${SECRET} `])('%j presents the key', (header) => {
    expect(readBearer(header)._unsafeUnwrap()).toEqual({ text: SECRET, type: 'secret', mode: 'test' });
  });

  it.each([null, '', '   '])('%j answers missing_credential', (header) => {
    expect(readBearer(header)._unsafeUnwrapErr().code).toBe('missing_credential');
  });

  it.each([
    'Bearer',
    'Bearer ',
    SECRET,
    `Basic ${SECRET}`,
    `Bearer${SECRET}`,
    `Bearer ${SECRET} ${SECRET}`,
    'Bearer sk_test_',
    'Bearer sk_test_short',
    `Bearer sk_test_${'a'.repeat(201)}`,
    'Bearer sk_prod_4f9aX2bQ7c',
    'Bearer SK_TEST_4f9aX2bQ7c',
    'Bearer rk_test_4f9aX2bQ7c',
    'Bearer sk_test_4f9a-X2bQ7c',
    'Bearer sk_test_4f9aX2bQ7ç',
    'Bearer whsec_4f9aX2bQ7c00',
  ])('%j answers malformed_credential', (header) => {
    expect(readBearer(header)._unsafeUnwrapErr().code).toBe('malformed_credential');
  });

  forAll([fc.string({ unit: 'binary' })])('any text gets an answer that never repeats the credential', (text) => {
    const answer = readBearer(`Bearer ${text}-not-a-key`);
    expect(answer._unsafeUnwrapErr().message).not.toContain(`${text}-not-a-key`);
  });
});

const TYPES: readonly KeyType[] = ['secret', 'publishable'];

function key(type: KeyType, mode: Mode): PresentedKey {
  const presented = parseKey(`${type === 'secret' ? 'sk' : 'pk'}_${mode}_4f9aX2bQ7c`);
  if (presented === null) throw new Error('The key of this test is malformed.');
  return presented;
}

describe('key and host', () => {
  const table: readonly (readonly [KeyType, Mode, Mode, string])[] = [
    ['secret', 'test', 'test', 'allowed'],
    ['secret', 'test', 'live', 'test_key_on_live'],
    ['secret', 'live', 'test', 'live_key_on_sandbox'],
    ['secret', 'live', 'live', 'allowed'],
    ['publishable', 'test', 'test', 'allowed'],
    ['publishable', 'test', 'live', 'test_key_on_live'],
    ['publishable', 'live', 'test', 'live_key_on_sandbox'],
    ['publishable', 'live', 'live', 'allowed'],
  ];

  it('the table is total', () => {
    expect(new Set(table.map(([type, mode, host]) => `${type} ${mode} ${host}`)).size).toBe(
      TYPES.length * MODES.length * MODES.length,
    );
  });

  it.each(table)('a %s %s key on the %s host: %s', (type, mode, host, answer) => {
    const presented = key(type, mode);
    expect(presented).toMatchObject({ type, mode });
    expect(
      checkHost(presented, host).match(
        () => 'allowed',
        (refusal) => refusal.code,
      ),
    ).toBe(answer);
  });
});

describe('key and endpoint', () => {
  it.each<[KeyType, KeyType, string]>([
    ['secret', 'secret', 'allowed'],
    ['publishable', 'publishable', 'allowed'],
    ['publishable', 'secret', 'wrong_key_type'],
    ['secret', 'publishable', 'wrong_key_type'],
  ])('a %s key where a %s key is needed: %s', (type, needed, answer) => {
    expect(
      checkKeyType(key(type, 'test'), needed).match(
        () => 'allowed',
        (refusal) => refusal.code,
      ),
    ).toBe(answer);
  });

  it.each<[KeyType, string]>([
    ['secret', 'invalid_api_key'],
    ['publishable', 'invalid_publishable_key'],
  ])('an unknown %s key is %s', (type, answer) => {
    expect(unknownKey(type)._unsafeUnwrapErr().code).toBe(answer);
  });
});

describe('the life of a key', () => {
  const stored = (over: Partial<ApiKey> = {}): ApiKey => ({
    hash: 'h',
    partnerId: 'p',
    type: 'secret',
    mode: 'test',
    prefix: 'sk_test_4f9a',
    createdAt: NOW - 1000,
    expiresAt: null,
    revokedAt: null,
    ...over,
  });

  it.each<[string, Partial<ApiKey>, string]>([
    ['neither revoked nor expiring', {}, 'usable'],
    ['expiring now', { expiresAt: NOW }, 'usable'],
    ['expired a millisecond ago', { expiresAt: NOW - 1 }, 'expired_api_key'],
    ['expired long ago', { expiresAt: 0 }, 'expired_api_key'],
    ['revoked now', { revokedAt: NOW }, 'revoked_api_key'],
    ['revoked by a machine whose clock is ahead', { revokedAt: NOW + 3_600_000 }, 'revoked_api_key'],
    ['revoked and expired', { revokedAt: NOW - 1, expiresAt: NOW - 2 }, 'revoked_api_key'],
    ['publishable and revoked', { type: 'publishable', revokedAt: NOW }, 'revoked_api_key'],
    ['publishable and expired', { type: 'publishable', expiresAt: NOW - 1 }, 'expired_api_key'],
  ])('a key %s: %s', (_what, over, answer) => {
    expect(
      checkKeyLife(stored(over), NOW).match(
        () => 'usable',
        (refusal) => refusal.code,
      ),
    ).toBe(answer);
  });
});

forAll([
  fc.constantFrom('sk_test_', 'pk_live_'),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019'), minLength: 8, maxLength: 40 }),
])('a key prefix recognises a key and is not one', (head, random) => {
  const prefix = keyPrefix(head + random);
  expect((head + random).startsWith(prefix)).toBe(true);
  expect(parseKey(prefix)).toBeNull();
});
