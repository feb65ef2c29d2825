import type { Crypto, KycVault, KycVaultEntry } from '@gateramp/core/ports';
import type { Mode } from '@gateramp/core';
import type { Pool } from 'pg';
import { checkSchema, DEFAULT_SCHEMA, pooled } from './database.js';

/** The encryption of packages, the schema and the statement timeout. */
export interface PostgresKycVaultOptions {
  /** Seals packages with the current master key, and opens packages sealed with the current or an old one. */
  readonly crypto: Pick<Crypto, 'sealSecret' | 'openSecret'>;
  /** The schema that `migrate` has created; `gateramp` by default. */
  readonly schema?: string;
  /** Statements that take longer are cancelled and reported as an outage; 15 s by default. */
  readonly queryTimeoutMs?: number;
}

/** A vault in a table next to those of the store. */
export interface PostgresKycVault extends KycVault {
  /**
   * Returns the opened package of a session; null if there is none. Throws if no known master key opens it,
   * or if it was sealed for another session.
   */
  find(sessionId: string): Promise<KycVaultEntry | null>;
}

interface PackageRow {
  readonly partner_id: string;
  readonly mode: Mode;
  /** The driver returns 64-bit numbers as text. */
  readonly forget_by: string;
  readonly sealed: string;
}

/**
 * Stores KYC packages in the database, sealed: a dump alone reveals none. They survive restarts, and are deleted when their session ends,
 * and at their `forgetBy` at the latest, by any process. The caller owns `pool`. An unavailable database is an error with `outage: true`.
 */
export function postgresKycVault(pool: Pool, options: PostgresKycVaultOptions): PostgresKycVault {
  const { crypto, queryTimeoutMs = 15_000 } = options;
  const table = `"${checkSchema(options.schema ?? DEFAULT_SCHEMA)}".kyc_packages`;
  const database = pooled(pool, { queryTimeoutMs, preparedStatements: false });
  const write = `insert into ${table} (session_id, partner_id, mode, forget_by, sealed) values ($1, $2, $3, $4, $5)
    on conflict (session_id) do update set partner_id = excluded.partner_id, mode = excluded.mode, forget_by = excluded.forget_by, sealed = excluded.sealed`;
  const remove = `delete from ${table} where session_id = $1`;
  const sweep = `with old as materialized (
      select session_id from ${table} where mode = $1 and forget_by <= $2 order by forget_by limit ${SWEEP_BATCH} for update skip locked),
    gone as (delete from ${table} p using old where p.session_id = old.session_id returning 1)
    select count(*)::int as deleted from gone`;
  const read = `select partner_id, mode, forget_by, sealed from ${table} where session_id = $1`;
  return {
    contract: 2,
    async store({ sessionId, partnerId, mode, body, forgetBy }) {
      const sealed = crypto.sealSecret(bound(sessionId, body));
      await database.query(write, [sessionId, partnerId, mode, forgetBy, sealed]);
    },
    async forget(sessionId) {
      await database.query(remove, [sessionId]);
    },
    async sweep(mode, now) {
      for (let deleted = SWEEP_BATCH; deleted >= SWEEP_BATCH;) {
        const [row] = await database.query<{ deleted: number }>(sweep, [mode, now]);
        deleted = row?.deleted ?? 0;
      }
    },
    async find(sessionId) {
      const [row] = await database.query<PackageRow>(read, [sessionId]);
      if (row === undefined) return null;
      const body = opened(sessionId, crypto.openSecret(row.sealed));
      return { sessionId, partnerId: row.partner_id, mode: row.mode, body, forgetBy: Number(row.forget_by) };
    },
  };
}

const SWEEP_BATCH = 500;

/** Sealed together with the session id, so that a package that is moved to another row cannot be opened. */
function bound(sessionId: string, body: string): string {
  return `${sessionId}\n${body}`;
}

function opened(sessionId: string, plain: string): string {
  const name = `${sessionId}\n`;
  if (!plain.startsWith(name))
    throw new Error('A stored KYC package was sealed for another session: its row was altered.');
  return plain.slice(name.length);
}
