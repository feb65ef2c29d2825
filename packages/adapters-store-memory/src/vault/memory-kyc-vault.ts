import { randomBytes } from 'node:crypto';
import type { KycVault, KycVaultEntry } from '@gateramp/core/ports';
import { sealedPackages } from './sealed-packages.js';

/** The encryption key and the limits of the vault. */
export interface MemoryKycVaultOptions {
  /** The 32-byte key that seals the packages. By default a random one for the life of the process. */
  readonly key?: Uint8Array;
  /** The maximum number of packages; 10,000 by default. */
  readonly packagesMax?: number;
  /** The maximum size of all sealed packages; 64 MiB by default. */
  readonly bytesMax?: number;
}

/** A vault with read access, for tests. */
export interface MemoryKycVault extends KycVault {
  /** Returns the opened package of a session; null if there is none. */
  find(sessionId: string): KycVaultEntry | null;
}

/** The vault has no room for another package. The caller gets 503 and may retry once sessions have ended. */
export class KycVaultFull extends Error {
  readonly outage = true;
  override readonly name = 'KycVaultFull';
}

type SealedEntry = Omit<KycVaultEntry, 'body'> & { readonly sealed: Buffer };

/**
 * A vault for tests, demos and small installations: packages are sealed in memory and lost with the process. It refuses packages above its
 * limits: only packages of open sessions are kept, and none of them may be dropped for another.
 */
export function memoryKycVault(options: MemoryKycVaultOptions = {}): MemoryKycVault {
  const { packagesMax = 10_000, bytesMax = 64 * 1024 * 1024 } = options;
  const box = sealedPackages(options.key ?? randomBytes(32));
  const packages = new Map<string, SealedEntry>();
  let bytes = 0;

  function forget(sessionId: string): void {
    bytes -= packages.get(sessionId)?.sealed.length ?? 0;
    packages.delete(sessionId);
  }

  return {
    contract: 2,
    async store({ body, ...rest }) {
      const stored: SealedEntry = { ...rest, sealed: box.seal(rest.sessionId, body) };
      const former = packages.get(rest.sessionId);
      const isFull =
        packages.size + (former === undefined ? 1 : 0) > packagesMax ||
        bytes - (former?.sealed.length ?? 0) + stored.sealed.length > bytesMax;
      if (isFull)
        throw new KycVaultFull(
          `The vault is full: it holds ${packages.size} of ${packagesMax} packages and ${bytes} of ${bytesMax} bytes.`,
        );
      forget(rest.sessionId);
      packages.set(rest.sessionId, stored);
      bytes += stored.sealed.length;
    },
    forget: async (sessionId) => forget(sessionId),
    async sweep(mode, now) {
      for (const stored of packages.values())
        if (stored.mode === mode && stored.forgetBy <= now) forget(stored.sessionId);
    },
    find(sessionId) {
      const stored = packages.get(sessionId);
      if (stored === undefined) return null;
      const { sealed, ...entry } = stored;
      return { ...entry, body: box.open(sessionId, sealed) };
    },
  };
}
