import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxLedger } from '@gateramp/adapters-provider-sandbox';
import type { Crypto, KycVault, Store } from '@gateramp/core/ports';
import type pg from 'pg';
import { aSchemaName } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import {
  postgresKycVault,
  postgresLoad,
  postgresSandboxLedger,
  postgresStore,
} from '../../../packages/adapters-store-postgres/src/index.js';
import {
  openSqlite,
  sqliteDump,
  sqliteKycVault,
  sqliteSandboxLedger,
  sqliteStore,
  type SqliteDatabase,
} from '../../../packages/adapters-store-sqlite/src/index.js';

/** The stores of an installation in one place. */
export interface Parts {
  readonly store: Store;
  readonly ledger: SandboxLedger;
  readonly vault: (crypto: Crypto) => KycVault;
}

export function partsInFile(file: SqliteDatabase): Parts {
  return {
    store: sqliteStore(file),
    ledger: sqliteSandboxLedger(file),
    vault: (crypto) => sqliteKycVault(file, { crypto }),
  };
}

export function partsInPostgres(pool: pg.Pool, schema: string): Parts {
  return {
    store: postgresStore(pool, { schema }),
    ledger: postgresSandboxLedger(pool, { schema }),
    vault: (crypto) => postgresKycVault(pool, { crypto, schema }),
  };
}

export interface OwnFile {
  readonly file: SqliteDatabase;
  readonly remove: () => void;
}

/** A temporary file, deleted at the end. */
export function ownFile(): OwnFile {
  const folder = mkdtempSync(join(tmpdir(), 'gate-moved-'));
  const file = openSqlite(join(folder, 'gate.db'));
  return {
    file,
    remove: () => {
      file.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An installation in a file that can be moved to Postgres. */
export interface Moving extends Parts {
  readonly move: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `batchRows` is odd and small, so that every kind of row is cut into several batches. */
export async function moving(
  pool: pg.Pool,
  onMoved: (schema: string) => void | Promise<void> = () => undefined,
): Promise<Moving> {
  const { file, remove } = ownFile();
  const schema = aSchemaName();
  const old = partsInFile(file);
  let present = old;
  // No call spans the move: calls to the file have ended before it starts.
  const now = <Part extends object>(first: Part, part: (parts: Parts) => Part): Part =>
    new Proxy(first, { get: (_, name) => Reflect.get(part(present), name) as unknown });
  const vaults = new Map<Crypto, Map<Parts, KycVault>>();
  const vaultOf = (crypto: Crypto, parts: Parts): KycVault => {
    const known = vaults.get(crypto) ?? new Map<Parts, KycVault>();
    vaults.set(crypto, known);
    const vault = known.get(parts) ?? parts.vault(crypto);
    known.set(parts, vault);
    return vault;
  };
  return {
    store: now(old.store, ({ store }) => store),
    ledger: now(old.ledger, ({ ledger }) => ledger),
    vault: (crypto) => now(vaultOf(crypto, old), (parts) => vaultOf(crypto, parts)),
    move: async () => {
      await postgresLoad(pool, sqliteDump(file), { id: 'moved', schema, batchRows: 7 });
      present = partsInPostgres(pool, schema);
      await onMoved(schema);
    },
    close: async () => {
      remove();
      await pool.query(`drop schema if exists ${schema} cascade`);
    },
  };
}
