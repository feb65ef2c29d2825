import { citus } from '@gateramp/adapters-store-citus';
import type pg from 'pg';
import type { DatabaseConfig } from '../config/config.js';
import { StartError } from '../start-error.js';
import { SCHEMA } from './schema.js';

const IS_UNPREPARED =
  'GATE_DATABASE_DISTRIBUTED: is on, but the tables are not distributed. Run distribute.sql once on this database (docs/citus.md), or unset it.';
const IS_DISTRIBUTED =
  'DATABASE_URL: the tables of this database are distributed by partner. Set GATE_DATABASE_DISTRIBUTED=on.';

/** The option of the store and its siblings. */
export function distributionOf({ isDistributed }: Pick<DatabaseConfig, 'isDistributed'>): typeof citus | null {
  return isDistributed ? citus : null;
}

/** Compares the setting with the keys of the tables: `distribute.sql` adds the partner to those of counters. Throws a `StartError`. */
export async function checkDistribution(pool: pg.Pool, { isDistributed }: DatabaseConfig): Promise<void> {
  const { rows } = await pool.query<{ is_distributed: boolean }>(
    `select exists (select from pg_attribute where attrelid = to_regclass($1) and attname = 'partner_id') as is_distributed`,
    [`${SCHEMA}.counters`],
  );
  const found = rows[0]?.is_distributed === true;
  if (found !== isDistributed) throw new StartError([found ? IS_DISTRIBUTED : IS_UNPREPARED]);
}
