import { postgresStore } from '@gateramp/adapters-store-postgres';
import type { Command } from 'commander';
import type pg from 'pg';
import { cliDatabaseOfProcess } from '../config/cli-config.js';
import type { DatabaseConfig } from '../config/config.js';
import { distributionOf } from '../database/distribution.js';
import { grantsTo } from '../database/grants.js';
import { migrateDatabase } from '../database/migrate-database.js';
import { databaseError, withPatientPool } from '../database/open-database.js';
import { SCHEMA } from '../database/schema.js';
import { databaseName } from '../move/database-name.js';
import { CommandError } from './command-error.js';
import { databaseKeys, installationTrail, recordAfterwards } from './installation-trail.js';
import { print, printResult } from './print.js';

/** A server migrates when it starts. If its database user may not create tables, run this first as a user who may. */
export function addMigrateCommand(gate: Command): void {
  gate
    .command('migrate')
    .description('Create or upgrade the tables of the database')
    .option('--grant-to <role>', 'also grant this database role what a server needs that does not migrate')
    .action(async ({ grantTo }: { readonly grantTo?: string }) => {
      const config = cliDatabaseOfProcess();
      const ran = await migrateDatabase(config, (line) => process.stderr.write(`${line}\n`));
      if (ran.length > 0)
        await recordAfterwards(withPatientPool(config, (pool) => recordMigrations(pool, config, ran)));
      if (grantTo !== undefined)
        await withPatientPool(config, (pool) => grant(pool, grantTo)).catch((error: unknown) => {
          throw databaseError(error, config.url);
        });
      printResult({ ran });
      print(ran.length === 0 ? 'The database is up to date.' : `Ran: ${ran.join(', ')}`);
    });
}

async function grant(pool: pg.Pool, role: string): Promise<void> {
  const { rows } = await pool.query<{ name: string; known: boolean }>(
    'select current_database() as name, exists (select from pg_roles where rolname = $1) as known',
    [role],
  );
  const [{ name, known } = { name: '', known: false }] = rows;
  if (!known) throw new CommandError(`The database has no role "${role}". Create it first: create role … login.`);
  for (const statement of grantsTo(role, name)) await pool.query(statement);
}

/** A new database has no installation yet, and must stay empty for a move into it. */
async function recordMigrations(pool: pg.Pool, config: DatabaseConfig, ran: readonly string[]): Promise<void> {
  const store = postgresStore(pool, {
    schema: SCHEMA,
    preparedStatements: !config.isBehindProxy,
    distribution: distributionOf(config),
  });
  if ((await store.readSetting(PEPPER)) === null) return;
  const trail = await installationTrail(store, databaseKeys);
  const target = { type: 'database', id: databaseName(config.url) };
  await trail({ store, opsPool: pool, action: 'installation.migrate', target, after: { ran }, id: null });
}

/** The setting that an installation creates first. */
const PEPPER = 'pepper';
