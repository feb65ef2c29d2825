import { migrateCitus } from '@gateramp/adapters-store-citus';
import { migrate } from '@gateramp/adapters-store-postgres';
import type { DatabaseConfig } from '../config/config.js';
import { databaseError, withPatientPool } from './open-database.js';
import { SCHEMA } from './schema.js';
import { StartError } from '../start-error.js';
import { poolsByTransaction } from './transaction-pooler.js';

const POOLED =
  'DATABASE_URL: a transaction-pooling proxy is in use, and prepared statements would fail at random. Set GATE_DATABASE_PROXY=on, or connect to Postgres directly.';

/**
 * Migrates the database. Safe when many processes start at once. `onProgress` is called with a line of text whenever it waits.
 * Returns the names of the migrations it ran.
 */
export async function migrateDatabase(
  config: DatabaseConfig,
  onProgress: (line: string) => void,
): Promise<readonly string[]> {
  try {
    return await withPatientPool(config, async (pool) => {
      if (!config.isBehindProxy && (await poolsByTransaction(pool))) throw new StartError([POOLED]);
      const options = { schema: SCHEMA, onProgress };
      const ran = await migrate(pool, options);
      return config.isDistributed ? [...ran, ...(await migrateCitus(pool, options))] : ran;
    });
  } catch (error) {
    throw databaseError(error, config.url);
  }
}
