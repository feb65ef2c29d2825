import pg from 'pg';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';

export const MASTER_KEY = 'q0X3ZkT8m1yB7vNf5cJr9LwHs2DgPa6UoEiKx4MtQzY=';
export const OTHER_MASTER_KEY = 'Jr9LwHs2DgPa6UoEiKx4MtQzYq0X3ZkT8m1yB7vNf5c=';

type Row = Readonly<Record<string, unknown>>;

export interface ScratchDatabase {
  readonly url: string;
  query(sql: string): Promise<readonly Row[]>;
  drop(): Promise<void>;
}

let made = 0;

/** A database of its own in the run's Postgres, empty, and dropped at the end even with open connections. */
export async function scratchDatabase(): Promise<ScratchDatabase> {
  const url = new URL(await testDatabaseUrl());
  const name = `server_${process.pid}_${Date.now().toString(36)}_${(made += 1)}`;
  await onServer(url.href, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    query: (sql) => onServer(own.href, sql),
    drop: async () => {
      await onServer(url.href, `drop database ${name} with (force)`);
    },
  };
}

async function onServer(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}
