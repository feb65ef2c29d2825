import { fc, test } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import type { IdempotencyRef } from '../../../src/ports/index.js';
import { nodeCrypto } from '../../../src/runtime/index.js';
import { memorySettings } from '../memory-settings.js';

const crypto = nodeCrypto({ masterKey: null });
beforeAll(() => crypto.open(memorySettings()));

const refs = fc.record({ scope: fc.string(), keyHash: fc.string(), fingerprint: fc.string() });
const ref: IdempotencyRef = { scope: '65f0c0ffee65f0c0ffee0001/test', keyHash: 'aa', fingerprint: 'bb' };

describe('a sealed reply', () => {
  test.prop([fc.string({ unit: 'binary' }), fc.string(), refs])('opens, byte for byte, with its key and ref', (text, key, anyRef) => {
    const sealed = crypto.sealReply(text, key, anyRef);
    expect(sealed).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(crypto.openReply(sealed, key, anyRef)).toBe(text);
  });

  test.prop([fc.string(), fc.string()])('opens with no other idempotency key', (key, other) => {
    fc.pre(key !== other);
    expect(crypto.openReply(crypto.sealReply('{}', key, ref), other, ref)).toBeNull();
  });

  test.prop([refs, refs])('opens with no other ref', (a, b) => {
    fc.pre(a.scope !== b.scope || a.keyHash !== b.keyHash || a.fingerprint !== b.fingerprint);
    expect(crypto.openReply(crypto.sealReply('{}', 'key', a), 'key', b)).toBeNull();
  });

  it('does not open when text moves from one part of the ref to the next', () => {
    const sealed = crypto.sealReply('{}', 'key', { scope: 'a', keyHash: 'bc', fingerprint: 'd' });
    expect(crypto.openReply(sealed, 'key', { scope: 'a', keyHash: 'b', fingerprint: 'cd' })).toBeNull();
    expect(crypto.openReply(sealed, 'ckey', { scope: 'a', keyHash: 'bc', fingerprint: 'd' })).toBeNull();
  });

  test.prop([fc.nat(27 + 40), fc.integer({ min: 1, max: 255 })])('does not open when any byte was altered', (at, flip) => {
    const box = Buffer.from(crypto.sealReply('x'.repeat(40), 'key', ref), 'base64');
    box[at] = (box[at] ?? 0) ^ flip;
    expect(crypto.openReply(box.toString('base64'), 'key', ref)).toBeNull();
  });

  test.prop([fc.string()])('is not found in text that is none', (text) => {
    expect(crypto.openReply(text, 'key', ref)).toBeNull();
  });

  it('never uses a nonce twice', () => {
    const nonces = Array.from({ length: 5_000 }, () => crypto.sealReply('{}', 'key', ref).slice(0, 16));
    expect(new Set(nonces).size).toBe(5_000);
  });

  it('opens in another process of the installation and in no other installation', async () => {
    const [settings, masterKey] = [memorySettings(), new Uint8Array(32).fill(7)];
    const [first, second, stranger] = [0, 1, 2].map(() => nodeCrypto({ masterKey }));
    if (!first || !second || !stranger) throw new Error('three were made');
    await Promise.all([first.open(settings), second.open(settings), stranger.open(memorySettings())]);
    const sealed = first.sealReply('{}', 'key', ref);
    expect(second.openReply(sealed, 'key', ref)).toBe('{}');
    expect(stranger.openReply(sealed, 'key', ref)).toBeNull();
  });
});
