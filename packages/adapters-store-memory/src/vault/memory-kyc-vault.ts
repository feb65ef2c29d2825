import { randomBytes } from 'node:crypto';
import type { KycVault, KycVaultEntry } from '@gateramp/core/ports';
import { sealedPackages } from './sealed-packages.js';

/** What packages are sealed with, and how many are kept. */
export interface MemoryKycVaultOptions {
  /** 32 bytes that seal the packages. One is made for the life of the process by default. */
  readonly key?: Uint8Array;
  /** Packages at once; 10,000 by default. */
  readonly packagesMax?: number;
  /** Bytes of sealed packages at once; 64 MiB by default. */
  readonly bytesMax?: number;
}

/** A vault that can be looked into, for tests. */
export interface MemoryKycVault extends KycVault {
  /** What is kept for a session, opened; null when nothing is. */
  find(sessionId: string): KycVaultEntry | null;
}

/** There is no room for another package. The caller gets 503 and may ask again once sessions have ended. */
export class KycVaultFull extends Error {
  readonly outage = true;
  override readonly name = 'KycVaultFull';
}

type Kept = Omit<KycVaultEntry, 'body'> & { readonly sealed: Buffer };

/**
 * A vault for tests, demos and small installations: packages lie sealed in memory and go with the process. It has a limit, and refuses what
 * is beyond it: only packages of sessions that are still open are kept, and none of them may be dropped for another.
 */
export function memoryKycVault(options: MemoryKycVaultOptions = {}): MemoryKycVault {
  const { packagesMax = 10_000, bytesMax = 64 * 1024 * 1024 } = options;
  const box = sealedPackages(options.key ?? randomBytes(32));
  const packages = new Map<string, Kept>();
  let bytes = 0;

  function forget(sessionId: string): void {
    bytes -= packages.get(sessionId)?.sealed.length ?? 0;
    packages.delete(sessionId);
  }

  return {
    async store({ body, ...rest }) {
      const kept: Kept = { ...rest, sealed: box.seal(rest.sessionId, body) };
      const former = packages.get(rest.sessionId);
      const isFull =
        packages.size + (former === undefined ? 1 : 0) > packagesMax ||
        bytes - (former?.sealed.length ?? 0) + kept.sealed.length > bytesMax;
      if (isFull)
        throw new KycVaultFull(
          `The vault is full: it holds ${packages.size} of ${packagesMax} packages and ${bytes} of ${bytesMax} bytes.`,
        );
      forget(rest.sessionId);
      packages.set(rest.sessionId, kept);
      bytes += kept.sealed.length;
    },
    forget: async (sessionId) => forget(sessionId),
    async sweep(mode, now) {
      for (const kept of packages.values()) if (kept.mode === mode && kept.forgetBy <= now) forget(kept.sessionId);
    },
    find(sessionId) {
      const kept = packages.get(sessionId);
      if (kept === undefined) return null;
      const { sealed, ...entry } = kept;
      return { ...entry, body: box.open(sessionId, sealed) };
    },
  };
}
