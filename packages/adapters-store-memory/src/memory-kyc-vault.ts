import type { KycVault, KycVaultEntry } from '@gateramp/core/ports';

export interface MemoryKycVault extends KycVault {
  /** What is kept for a session; null when nothing is. */
  find(sessionId: string): KycVaultEntry | null;
}

/** A vault for tests and demos: packages stay in memory, unencrypted, and go with the process. */
export function memoryKycVault(): MemoryKycVault {
  const entries = new Map<string, KycVaultEntry>();
  return {
    store: async (entry) => void entries.set(entry.sessionId, entry),
    forget: async (sessionId) => void entries.delete(sessionId),
    find: (sessionId) => entries.get(sessionId) ?? null,
  };
}
