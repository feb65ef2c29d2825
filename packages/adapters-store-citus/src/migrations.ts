import {
  checkSchema,
  DEFAULT_SCHEMA,
  inSchema,
  type MigrateOptions,
  migrateTo,
  type Migration,
} from '@gateramp/adapters-store-postgres/distribution';
import type { Pool } from 'pg';
import commits from '../sql/migrations/0001-functions/commits.sql';
import work from '../sql/migrations/0001-functions/work.sql';

const SOURCES: readonly (readonly [name: string, sql: string])[] = [['functions', [commits, work].join('\n')]];

/** The rollback window: the number of migrations of the previous release. */
const USABLE_FROM = 1;

/** The functions for distributed tables, as numbered SQL like `migrations` of the Postgres store. Run them after those. */
export function citusMigrations(schema: string): readonly Migration[] {
  return SOURCES.map(([name, sql], index) => ({ number: index + 1, name, sql: inSchema(sql, schema) }));
}

/**
 * Creates and updates the functions for distributed tables, as `migrate` does for tables; run it after `migrate`, also before
 * `sql/distribute.sql`. Returns the names of the migrations it ran.
 */
export async function migrateCitus(pool: Pool, options: MigrateOptions = {}): Promise<readonly string[]> {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const target = { known: citusMigrations(schema), usableFrom: USABLE_FROM, history: 'citus_migrations' };
  return migrateTo(target, pool, schema, options);
}
