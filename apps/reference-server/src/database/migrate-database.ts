import { migrate } from '@gateramp/adapters-store-postgres';
import type { DatabaseConfig } from '../config.js';
import { databaseFault, withPatientPool } from './open-database.js';
import { SCHEMA } from './schema.js';

/** Brings the database up to date. Safe when many processes start at once. Returns the names of what it ran. */
export async function migrateDatabase(config: DatabaseConfig): Promise<readonly string[]> {
  try {
    return await withPatientPool(config, (pool) => migrate(pool, { schema: SCHEMA }));
  } catch (error) {
    throw databaseFault(error, config.url);
  }
}
