import { describe, expect, it } from 'vitest';
import { memoryKycVault } from '../../src/index.js';
import { sealedPackages } from '../../src/vault/sealed-packages.js';

const NOW = Date.UTC(2030, 0, 1);
const entry = { sessionId: 's1', partnerId: 'acme', mode: 'test' as const, body: '{"name":"Ada"}', forgetBy: NOW };

describe('a vault in memory', () => {
  it('refuses, as an outage, the package beyond its number, and takes one again once a session has ended', async () => {
    const vault = memoryKycVault({ packagesMax: 2 });
    for (const sessionId of ['s1', 's2', 's2']) await vault.store({ ...entry, sessionId });
    await expect(vault.store({ ...entry, sessionId: 's3' })).rejects.toMatchObject({
      outage: true,
      name: 'KycVaultFull',
    });
    expect([vault.find('s1'), vault.find('s2'), vault.find('s3')].map((found) => found !== null)).toEqual([
      true,
      true,
      false,
    ]);
    await vault.forget('s1');
    await vault.store({ ...entry, sessionId: 's3' });
  });

  it('refuses the package beyond its bytes, and counts what was forgotten, swept or replaced no more', async () => {
    const body = 'x'.repeat(1_000);
    const vault = memoryKycVault({ bytesMax: 2_500 });
    await vault.store({ ...entry, body });
    await vault.store({ ...entry, body });
    await vault.store({ ...entry, sessionId: 's2', body });
    await expect(vault.store({ ...entry, sessionId: 's3', body })).rejects.toMatchObject({ outage: true });
    await vault.sweep('test', NOW);
    for (const sessionId of ['s3', 's4']) await vault.store({ ...entry, sessionId, body });
    await vault.forget('s3');
    await vault.forget('s3');
    await vault.store({ ...entry, sessionId: 's5', body });
    await expect(vault.store({ ...entry, sessionId: 's6', body })).rejects.toMatchObject({ outage: true });
  });
});

describe('what lies in memory', () => {
  const key = new Uint8Array(32).fill(7);

  it('shows nothing of the package, nor that two are the same', () => {
    const [one, other] = [sealedPackages(key).seal('s1', entry.body), sealedPackages(key).seal('s1', entry.body)];
    expect(one.includes('Ada')).toBe(false);
    expect(one.equals(other)).toBe(false);
  });

  it('opens with the key and for the session it was sealed for, and with nothing else', () => {
    const box = sealedPackages(key);
    const sealed = box.seal('s1', entry.body);
    expect(box.open('s1', sealed)).toBe(entry.body);
    expect(() => box.open('s2', sealed)).toThrow();
    expect(() => sealedPackages(new Uint8Array(32).fill(8)).open('s1', sealed)).toThrow();
  });
});
