import { fc, test } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import { nodeCrypto } from '../../../src/runtime/index.js';
import { memorySettings } from '../memory-settings.js';

const crypto = nodeCrypto({ masterKey: null });
beforeAll(() => crypto.open(memorySettings()));

const uses = fc.record({ scope: fc.string(), key: fc.string(), fingerprint: fc.string() });
const SCOPE = '65f0c0ffee65f0c0ffee0001/test';

describe('a reply sealed under an idempotency key', () => {
  test.prop([fc.string({ unit: 'binary' }), uses])(
    'opens, byte for byte, with its key and fingerprint',
    (text, use) => {
      const seal = crypto.keySeal(use.scope, use.key);
      const sealed = seal.seal(text, use.fingerprint);
      expect(sealed).toMatch(/^[A-Za-z0-9+/]+=*$/);
      expect(crypto.keySeal(use.scope, use.key).open(sealed, use.fingerprint)).toBe(text);
    },
  );

  test.prop([uses, uses])('can be opened with no other key, scope or fingerprint', (a, b) => {
    fc.pre(a.scope !== b.scope || a.key !== b.key || a.fingerprint !== b.fingerprint);
    const sealed = crypto.keySeal(a.scope, a.key).seal('{}', a.fingerprint);
    expect(crypto.keySeal(b.scope, b.key).open(sealed, b.fingerprint)).toBeNull();
  });

  it('cannot be opened when text moves from the scope to the key', () => {
    const sealed = crypto.keySeal('a', 'bc').seal('{}', 'd');
    expect(crypto.keySeal('ab', 'c').open(sealed, 'd')).toBeNull();
    expect(crypto.keySeal('a', 'bc').open(sealed, 'd')).toBe('{}');
  });

  test.prop([fc.nat(27 + 40), fc.integer({ min: 1, max: 255 })])(
    'cannot be opened when any byte was altered',
    (at, flip) => {
      const seal = crypto.keySeal(SCOPE, 'key');
      const box = Buffer.from(seal.seal('x'.repeat(40), 'fp'), 'base64');
      box[at] = (box[at] ?? 0) ^ flip;
      expect(seal.open(box.toString('base64'), 'fp')).toBeNull();
    },
  );

  test.prop([fc.string()])('cannot be opened from other text', (text) => {
    expect(crypto.keySeal(SCOPE, 'key').open(text, 'fp')).toBeNull();
  });

  it('never uses a nonce twice', () => {
    const seal = crypto.keySeal(SCOPE, 'key');
    const nonces = Array.from({ length: 5_000 }, () => seal.seal('{}', 'fp').slice(0, 16));
    expect(new Set(nonces).size).toBe(5_000);
  });

  it('can be opened by other processes of the installation and by no other installation', async () => {
    const [settings, masterKey] = [memorySettings(), new Uint8Array(32).fill(7)];
    const [first, second, stranger] = [0, 1, 2].map(() => nodeCrypto({ masterKey }));
    if (!first || !second || !stranger) throw new Error('three were made');
    await Promise.all([first.open(settings), second.open(settings), stranger.open(memorySettings())]);
    const sealed = first.keySeal(SCOPE, 'key').seal('{}', 'fp');
    expect(second.keySeal(SCOPE, 'key').open(sealed, 'fp')).toBe('{}');
    expect(stranger.keySeal(SCOPE, 'key').open(sealed, 'fp')).toBeNull();
  });
});

describe('the stored form of an idempotency key', () => {
  test.prop([uses, uses])('differs for another scope, key or use', (a, b) => {
    const [one, other] = [crypto.keySeal(a.scope, a.key), crypto.keySeal(b.scope, b.key)];
    const sameKey = a.scope === b.scope && a.key === b.key;
    expect(one.hash === other.hash).toBe(sameKey);
    expect(one.fingerprint(a.fingerprint) === other.fingerprint(b.fingerprint)).toBe(
      sameKey && a.fingerprint === b.fingerprint,
    );
  });
});
