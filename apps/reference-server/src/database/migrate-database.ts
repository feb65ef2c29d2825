import { migrate } from '@gateramp/adapters-store-postgres';
import type { Pool } from 'pg';
import type { DatabaseConfig } from '../config.js';
import { databaseFault, withPatientPool } from './open-database.js';
import { SCHEMA } from './schema.js';
import { serverMigrations } from './server-migrations.js';

/**
 * Brings the database up to date: the store's tables, then the server's own. Safe when many processes start at once. Returns the names of
 * what it ran.
 */
export async function migrateDatabase(config: DatabaseConfig): Promise<readonly string[]> {
  try {
    return await withPatientPool(config, async (pool) => {
      const ofStore = await migrate(pool, { schema: SCHEMA });
      return [...ofStore, ...((await isServerUpToDate(pool)) ? [] : await migrateServer(pool))];
    });
  } catch (error) {
    throw databaseFault(error, config.url);
  }
}

/** A start that finds everything done locks nothing, and does with a database user that may make nothing. */
async function isServerUpToDate(pool: Pool): Promise<boolean> {
  const { rows: found } = await pool.query<{ is_there: boolean }>('select to_regclass($1) is not null as is_there', [`${SCHEMA}.server_migrations`]);
  if (found[0]?.is_there !== true) return false;
  const { rows } = await pool.query<{ latest: number | null }>(`select max(number) as latest from ${SCHEMA}.server_migrations`);
  return (rows[0]?.latest ?? 0) >= serverMigrations.length;
}

/** All in one transaction, behind a lock that lives in it. */
async function migrateServer(pool: Pool): Promise<readonly string[]> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${SCHEMA}/migrate-server`]);
    await client.query(
      `create table if not exists ${SCHEMA}.server_migrations (number int primary key, name text not null, applied_at timestamptz not null default now())`,
    );
    const { rows } = await client.query<{ number: number }>(`select number from ${SCHEMA}.server_migrations`);
    const done = new Set(rows.map(({ number }) => number));
    const missing = serverMigrations.filter(({ number }) => !done.has(number));
    for (const { number, name, sql } of missing) {
      await client.query(sql);
      await client.query(`insert into ${SCHEMA}.server_migrations (number, name) values ($1, $2)`, [number, name]);
    }
    await client.query('commit');
    client.release();
    return missing.map(({ name }) => name);
  } catch (error) {
    // A connection in an unknown state goes back to nobody.
    client.release(true);
    throw error;
  }
}
