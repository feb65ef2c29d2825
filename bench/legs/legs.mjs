import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate, postgresLegsStore } from '@gateramp/adapters-store-postgres';
import { openSqlite, sqliteLegsStore } from '@gateramp/adapters-store-sqlite';
import { memoryLegsStore } from '@gateramp/provider-legs';
import { startPostgres } from '../../tests/services/postgres.ts';
import { compare } from '../lib/compare.mjs';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { memoryBooks, postgresBooks, sqliteBooks } from './bare-books.mjs';
import { benchChain } from './chain.mjs';
import { purchasesByHand, purchasesBySaga } from './purchases.mjs';

/** Below 1, since the saga also stores versions, leases, call ids and the data for undoing, unlike a hand-written loop. */
const PROMISED = { memory: 0.1, sqlite: 0.8, postgres: 0.2 };
const CONNECTIONS = 10;

/** Compares purchases by the saga with a hand-written loop of the same calls and bookings, on each store. Also measures the chain leg. */
export async function benchLegs({ rounds, seconds }) {
  const postgres = await startPostgres({ tuning: TUNING });
  const folder = mkdtempSync(join(tmpdir(), 'gate-bench-legs-'));
  const kinds = {
    memory: {
      ours: async () => ({ store: memoryLegsStore(), close: async () => {} }),
      bare: async () => memoryBooks(),
    },
    sqlite: {
      ours: async () => {
        const database = openSqlite(fileIn(folder));
        return { store: sqliteLegsStore(database), close: async () => database.close() };
      },
      bare: async () => sqliteBooks(fileIn(folder)),
    },
    postgres: {
      ours: async () => {
        const pool = await poolOn(postgres.url);
        await migrate(pool);
        return { store: postgresLegsStore(pool), close: () => pool.end() };
      },
      bare: async () => postgresBooks(await poolOn(postgres.url)),
    },
  };
  try {
    const rows = [];
    for (const [kind, { ours, bare }] of Object.entries(kinds))
      rows.push(
        await compare({
          title: `Legs: purchases on ${kind}`,
          rounds,
          baseline: () => purchasesByHand(bare, { seconds, databasePid: postgres.pid }),
          ours: () => purchasesBySaga(ours, { seconds, databasePid: postgres.pid }),
          atLeast: PROMISED[kind],
          aim: 1,
        }),
      );
    return [...rows, ...(await benchChain({ rounds }))];
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
}

let files = 0;
const fileIn = (folder) => join(folder, `legs-${(files += 1)}.db`);

async function poolOn(url) {
  const pool = new pg.Pool({ connectionString: await newDatabase(url), max: CONNECTIONS });
  pool.on('error', () => undefined);
  return pool;
}
