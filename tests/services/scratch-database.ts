import pg from 'pg';
import { onTestFinished } from 'vitest';

import { testDatabaseUrl } from './test-postgres.js';

let made = 0;

/** A database of its own in a Postgres of the run, empty, and dropped at the end of the test even with open connections. */
export async function scratchDatabase({ stock = false } = {}): Promise<{ readonly url: string }> {
  const server = await testDatabaseUrl({ stock });
  const name = `scratch_${process.pid}_${Date.now().toString(36)}_${(made += 1)}`;
  await onServer(server, `create database ${name}`);
  onTestFinished(() => onServer(server, `drop database ${name} with (force)`));
  const own = new URL(server);
  own.pathname = `/${name}`;
  return { url: own.href };
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
