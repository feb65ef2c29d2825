import type { Mode } from '@gateramp/core';
import type { Crypto, KycVault, KycVaultEntry } from '@gateramp/core/ports';
import type { SqliteDatabase } from './database.js';
import { ofScope } from './rows.js';
import { put } from './write-row.js';

/** The encryption of packages. */
export interface SqliteKycVaultOptions {
  /** Seals packages with the current master key, and opens packages sealed with the current or an old one. */
  readonly crypto: Pick<Crypto, 'sealSecret' | 'openSecret'>;
}

/** A vault in the same file as the store. */
export interface SqliteKycVault extends KycVault {
  /**
   * Returns the opened package of a session; null if there is none. Throws if no known master key opens it,
   * or if it was sealed for another session.
   */
  find(sessionId: string): Promise<KycVaultEntry | null>;
}

interface PackageRow {
  readonly partner_id: string;
  readonly mode: Mode;
  readonly forget_by: number;
  readonly sealed: string;
}

/**
 * Stores KYC packages in the file of the store, sealed: a copy of the file alone reveals none. They are deleted when their
 * session ends, and at `forgetBy` at the latest.
 */
export function sqliteKycVault(database: SqliteDatabase, { crypto }: SqliteKycVaultOptions): SqliteKycVault {
  return {
    contract: 2,
    store: ({ sessionId, partnerId, mode, body, forgetBy }) => {
      // Sealed together with the session id, so that a package that is moved to another row cannot be opened.
      const sealed = crypto.sealSecret(`${sessionId}\n${body}`);
      const columns = { ...ofScope({ partnerId, mode }), forget_by: forgetBy, sealed };
      return database.write((db) => put(db, 'kyc_packages', { session_id: sessionId }, columns));
    },
    forget: (sessionId) =>
      database.write((db) => void db.run('delete from kyc_packages where session_id = ?', sessionId)),
    sweep: (mode, now) =>
      database.write((db) => void db.run('delete from kyc_packages where mode = ? and forget_by <= ?', mode, now)),
    find: async (sessionId) => {
      const text = 'select partner_id, mode, forget_by, sealed from kyc_packages where session_id = ?';
      const [row] = database.connection().all<PackageRow>(text, sessionId);
      if (row === undefined) return null;
      const plain = crypto.openSecret(row.sealed);
      if (!plain.startsWith(`${sessionId}\n`))
        throw new Error('A stored KYC package was sealed for another session: its row was altered.');
      const body = plain.slice(sessionId.length + 1);
      return { sessionId, partnerId: row.partner_id, mode: row.mode, body, forgetBy: row.forget_by };
    },
  };
}
