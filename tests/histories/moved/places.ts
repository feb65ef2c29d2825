import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxLedger } from '@gateramp/adapters-provider-sandbox';
import type { Crypto, KycVault, Store } from '@gateramp/core/ports';
import type pg from 'pg';
import { citus } from '../../../packages/adapters-store-citus/src/index.js';
import { distribute } from '../../../packages/adapters-store-citus/test/cluster-layout.js';
import { aSchemaName, freshSchema } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
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

export function partsInPostgres(pool: pg.Pool, schema: string, { distributed = false } = {}): Parts {
  return {
    store: postgresStore(pool, { schema, distribution: distributed ? citus : null }),
    ledger: postgresSandboxLedger(pool, { schema }),
    vault: (crypto) => postgresKycVault(pool, { crypto, schema }),
  };
}

/** Removes `readTime`, by which actions of operators are dated. A file has no such method, so all then use the clock of the process. */
export function withoutTime(parts: Parts): Parts {
  const store = { ...parts.store };
  delete store.readTime;
  return { ...parts, store };
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

/** An installation that moves to other tables between two calls. */
export interface Moving extends Parts {
  readonly move: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type OnMoved = (schema: string) => void | Promise<void>;

/** A file that moves to Postgres. `batchRows` is odd and small, so that every kind of row is cut into several batches. */
export async function moving(pool: pg.Pool, onMoved: OnMoved = () => undefined): Promise<Moving> {
  const { file, remove } = ownFile();
  const schema = aSchemaName();
  const { parts, replace } = replaceable(partsInFile(file));
  return {
    ...parts,
    move: async () => {
      await postgresLoad(pool, sqliteDump(file), { id: 'moved', schema, batchRows: 7 });
      replace(partsInPostgres(pool, schema));
      await onMoved(schema);
    },
    close: async () => {
      remove();
      await dropSchema(pool, schema);
    },
  };
}

/** An installation in Postgres whose tables become distributed. */
export async function distributing(pool: pg.Pool, onMoved: OnMoved): Promise<Moving> {
  const schema = await freshSchema(pool);
  const { parts, replace } = replaceable(withoutTime(partsInPostgres(pool, schema)));
  return {
    ...parts,
    move: async () => {
      await distribute(pool, schema);
      replace(withoutTime(partsInPostgres(pool, schema, { distributed: true })));
      await onMoved(schema);
    },
    close: () => dropSchema(pool, schema),
  };
}

const dropSchema = async (pool: pg.Pool, schema: string): Promise<void> =>
  void (await pool.query(`drop schema if exists ${schema} cascade`));

/** Parts that forward each call to the current ones. No call spans a move, which starts only after earlier calls have ended. */
function replaceable(old: Parts): { readonly parts: Parts; readonly replace: (next: Parts) => void } {
  let present = old;
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
  const parts = {
    store: now(old.store, ({ store }) => store),
    ledger: now(old.ledger, ({ ledger }) => ledger),
    vault: (crypto: Crypto) => now(vaultOf(crypto, old), (present) => vaultOf(crypto, present)),
  };
  return { parts, replace: (next) => void (present = next) };
}
