import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';

import { testDatabaseUrl } from './test-postgres.js';

type Row = Readonly<Record<string, unknown>>;

export interface ScratchDatabase {
  readonly url: string;
  query(sql: string): Promise<readonly Row[]>;
  /** Drops it, even with open connections. */
  drop(): Promise<void>;
}

/**
 * `Pool.end` resolves before its connections have closed, and one that is terminated then is an uncaught error. What is still open after
 * this time is terminated.
 */
const CLOSE_TIMEOUT_MS = 1_000;
const POLL_MS = 50;

/** A unique name. Test files share a process, so its id would not do. */
export const uniqueName = (prefix: string): string => `${prefix}_${randomBytes(6).toString('hex')}`;

/** Creates an empty database in the run's Postgres; the caller drops it. */
export async function createScratchDatabase({ stock = false, options = '' } = {}): Promise<ScratchDatabase> {
  const server = await testDatabaseUrl({ stock });
  const name = uniqueName('scratch');
  await queryOnce(server, `create database ${name} ${options}`);
  const own = new URL(server);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    query: (sql) => queryOnce(own.href, sql),
    async drop() {
      const connected = `select 1 from pg_stat_activity where datname = '${name}'`;
      for (
        let waited = 0;
        waited < CLOSE_TIMEOUT_MS && (await queryOnce(server, connected)).length > 0;
        waited += POLL_MS
      )
        await pause(POLL_MS);
      await queryOnce(server, `drop database ${name} with (force)`);
    },
  };
}

/** Creates an empty database in the run's Postgres, which is dropped at the end of the test. */
export async function scratchDatabase(given?: {
  readonly stock?: boolean;
  /** Of `create database`. */
  readonly options?: string;
}): Promise<ScratchDatabase> {
  const database = await createScratchDatabase(given);
  onTestFinished(() => database.drop());
  return database;
}

async function queryOnce(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
