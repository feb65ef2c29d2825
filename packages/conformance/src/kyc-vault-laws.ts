import assert from 'node:assert/strict';
import { MINUTE } from '@gateramp/core/domain';
import type { KycVault, KycVaultEntry } from '@gateramp/core/ports';
import { T0 } from './builders.js';
import { lawsOnTrial, type Law } from './law.js';

/** The vault under test. */
export interface KycVaultSubject {
  create(): Promise<KycVaultOnTrial>;
}

/** A new vault, and access to its contents. */
export interface KycVaultOnTrial {
  readonly vault: KycVault;
  /** The package of a session; null if there is none. */
  readonly read: (sessionId: string) => Promise<string | null>;
  readonly close: () => Promise<void>;
}

const ENTRY: KycVaultEntry = {
  sessionId: 's1',
  partnerId: 'acme',
  mode: 'test',
  body: '{"name":"Ada \\u00e9"}',
  forgetBy: T0 + MINUTE,
};

/** The laws of `KycVault`. */
export const kycVaultLaws: readonly Law<KycVaultSubject>[] = lawsOnTrial<KycVaultOnTrial>('KYC vault', {
  async 'stores a package as the exact text'({ vault, read }) {
    assert.equal(await read('s1'), null);
    await vault.store(ENTRY);
    assert.equal(await read('s1'), ENTRY.body);
  },

  async 'stores one package per session, however often it is saved, and deletes it without a trace'({ vault, read }) {
    await vault.store(ENTRY);
    await vault.store(ENTRY);
    await vault.store({ ...ENTRY, sessionId: 's2' });
    await vault.forget('s1');
    assert.equal(await read('s1'), null);
    assert.equal(await read('s2'), ENTRY.body);
  },

  async 'ignores the deletion of a package that is absent or already deleted'({ vault, read }) {
    await vault.store(ENTRY);
    for (const sessionId of ['s2', 's2']) await vault.forget(sessionId);
    assert.equal(await read('s1'), ENTRY.body);
  },

  async 'sweeps a package at the instant its retention ends, not a millisecond earlier'({ vault, read }) {
    await vault.store(ENTRY);
    await vault.sweep('test', ENTRY.forgetBy - 1);
    assert.equal(await read('s1'), ENTRY.body);
    await vault.sweep('test', ENTRY.forgetBy);
    assert.equal(await read('s1'), null);
  },

  async 'sweeps one mode by its own clock and leaves the other untouched'({ vault, read }) {
    await vault.store(ENTRY);
    await vault.store({ ...ENTRY, sessionId: 's2', mode: 'live' });
    await vault.sweep('live', ENTRY.forgetBy);
    assert.deepEqual([await read('s1'), await read('s2')], [ENTRY.body, null]);
  },
});
