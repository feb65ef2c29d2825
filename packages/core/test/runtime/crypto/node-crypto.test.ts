import { createHash, createHmac, randomBytes } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type Crypto, MasterKeyMissingError, type Settings } from '../../../src/ports/index.js';
import { nodeCrypto } from '../../../src/runtime/index.js';
import { memorySettings } from '../memory-settings.js';

const keyA = randomBytes(32);
const keyB = randomBytes(32);

async function openCrypto(
  settings: Settings,
  masterKey: Uint8Array | null,
  oldMasterKeys: Uint8Array[] = [],
): Promise<Crypto> {
  const crypto = nodeCrypto({ masterKey, oldMasterKeys });
  await crypto.open(settings);
  return crypto;
}

describe('the pepper', () => {
  it('is created once: processes that start together compute the same hashes', async () => {
    const settings = memorySettings();
    const [a, b] = await Promise.all([openCrypto(settings, keyA), openCrypto(settings, keyA)]);
    expect(a.keyedHash('idempotency', 'x')).toBe(b.keyedHash('idempotency', 'x'));
  });

  it('differs between installations that share a master key', async () => {
    const a = await openCrypto(memorySettings(), keyA);
    const b = await openCrypto(memorySettings(), keyA);
    expect(a.keyedHash('idempotency', 'x')).not.toBe(b.keyedHash('idempotency', 'x'));
  });

  it('is encrypted again by the first start with a new master key, and no hash changes', async () => {
    const settings = memorySettings();
    const before = (await openCrypto(settings, keyA)).keyedHash('idempotency', 'x');
    const underA = settings.values.get('pepper');
    expect((await openCrypto(settings, keyB, [keyA])).keyedHash('idempotency', 'x')).toBe(before);
    expect(settings.values.get('pepper')).not.toBe(underA);
    expect((await openCrypto(settings, keyB)).keyedHash('idempotency', 'x')).toBe(before);
    await expect(openCrypto(settings, keyA)).rejects.toThrow(/neither the current key nor an old one/);
  });

  it('is unchanged if it is already encrypted with the current key', async () => {
    const settings = memorySettings();
    await openCrypto(settings, keyA);
    const stored = settings.values.get('pepper');
    await openCrypto(settings, keyA, [keyB]);
    expect(settings.values.get('pepper')).toBe(stored);
  });

  it('refuses to start with an altered setting, instead of creating another pepper', async () => {
    const settings = memorySettings();
    await openCrypto(settings, keyA);
    const stored = settings.values.get('pepper') ?? '';
    const box = Buffer.from(stored.split('.')[2] ?? '', 'base64');
    box[20] = (box[20] ?? 0) ^ 1;
    settings.values.set('pepper', [...stored.split('.').slice(0, 2), box.toString('base64')].join('.'));
    await expect(openCrypto(settings, keyA)).rejects.toThrow(/altered/);
    settings.values.set('pepper', 'plain');
    await expect(openCrypto(settings, keyA)).rejects.toThrow(/not encrypted/);
  });

  it('must be loaded before anything that needs it', () => {
    const crypto = nodeCrypto({ masterKey: keyA });
    expect(() => crypto.keyedHash('idempotency', 'x')).toThrow(/open/);
    expect(crypto.hash('x')).toHaveLength(64);
  });
});

describe('hashes', () => {
  it('are SHA-256 and HMAC-SHA256 of the UTF-8 bytes, in hex', () => {
    const crypto = nodeCrypto({ masterKey: null });
    expect(crypto.hash('é')).toBe(
      createHash('sha256')
        .update(Buffer.from([0xc3, 0xa9]))
        .digest('hex'),
    );
    expect(crypto.hmacHex('k', 'é')).toBe(
      createHmac('sha256', 'k')
        .update(Buffer.from([0xc3, 0xa9]))
        .digest('hex'),
    );
  });

  it('differ between purposes', async () => {
    const crypto = await openCrypto(memorySettings(), null);
    expect(crypto.keyedHash('idempotency', 'x')).toMatch(/^[0-9a-f]{64}$/);
    expect(crypto.keyedHash('idempotency', 'x')).not.toBe(crypto.keyedHash('fingerprint', 'x'));
  });

  it('stay the same when more purposes are used than are cached', async () => {
    const crypto = await openCrypto(memorySettings(), null);
    const first = Array.from({ length: 200 }, (_, n) => crypto.keyedHash(`p${n}`, 'x'));
    expect(Array.from({ length: 200 }, (_, n) => crypto.keyedHash(`p${n}`, 'x'))).toEqual(first);
    expect(new Set(first).size).toBe(200);
  });

  test.prop([fc.string(), fc.string()])('equal agrees with === for texts of any length', (a, b) => {
    const crypto = nodeCrypto({ masterKey: null });
    expect(crypto.equal(a, b)).toBe(a === b);
    expect(crypto.equal(a, a)).toBe(true);
  });
});

describe('encrypted secrets', () => {
  test.prop([fc.string({ unit: 'binary' })])('decrypt to the original, and never contain it', (plain) => {
    const crypto = nodeCrypto({ masterKey: keyA });
    const sealed = crypto.sealSecret(plain);
    expect(crypto.openSecret(sealed)).toBe(plain);
    expect(crypto.sealSecret(plain)).not.toBe(sealed);
  });

  it('decrypt with an old master key, are encrypted only with the current one, and throw MasterKeyMissingError without theirs', () => {
    const old = nodeCrypto({ masterKey: keyA });
    const present = nodeCrypto({ masterKey: keyB, oldMasterKeys: [keyA] });
    expect(present.openSecret(old.sealSecret('whsec_1'))).toBe('whsec_1');
    const open = () => old.openSecret(present.sealSecret('whsec_1'));
    expect(open).toThrow(MasterKeyMissingError);
    expect(open).toThrow(/Add it to the old master keys/);
  });

  it('decrypt only for their owner: partner and mode', () => {
    const crypto = nodeCrypto({ masterKey: keyA });
    const owner = { partnerId: 'acme', mode: 'test' } as const;
    const sealed = crypto.sealSecret('whsec_1', owner);
    expect(crypto.openSecret(sealed, owner)).toBe('whsec_1');
    for (const other of [{ ...owner, mode: 'live' } as const, { ...owner, partnerId: 'bolt' }, undefined])
      expect(() => crypto.openSecret(sealed, other)).toThrow(/belongs to another owner/);
    // Nor as one of those without an owner.
    expect(() => crypto.openSecret(sealed.replace(/^mk2/, 'mk1'), owner)).toThrow(/belongs to another owner/);
  });

  it('of a version without owners decrypt for all, until they are encrypted again', () => {
    const crypto = nodeCrypto({ masterKey: keyA });
    const before = crypto.sealSecret('whsec_1');
    expect(crypto.openSecret(before, { partnerId: 'acme', mode: 'test' })).toBe('whsec_1');
  });

  test.prop([fc.nat(27 + 7)])('throw when any byte was altered', (at) => {
    const crypto = nodeCrypto({ masterKey: keyA });
    const [format, id, text] = crypto.sealSecret('whsec_1').split('.');
    const box = Buffer.from(text ?? '', 'base64');
    box[at] = (box[at] ?? 0) ^ 0x10;
    expect(() => crypto.openSecret([format, id, box.toString('base64')].join('.'))).toThrow(/altered/);
  });

  it('of another purpose cannot be decrypted: a pepper is not a secret', async () => {
    const settings = memorySettings();
    const crypto = await openCrypto(settings, keyA);
    expect(() => crypto.openSecret(settings.values.get('pepper') ?? '')).toThrow(/altered/);
  });

  it('need master keys of 32 bytes', () => {
    expect(() => nodeCrypto({ masterKey: new Uint8Array(31) })).toThrow(/32 bytes/);
    expect(() => nodeCrypto({ masterKey: keyA, oldMasterKeys: [new Uint8Array(33)] })).toThrow(/32 bytes/);
  });
});
