import { postgresStore } from '@gateramp/adapters-store-postgres';
import type { Command } from 'commander';
import type pg from 'pg';
import { cliDatabaseOfProcess } from '../config-cli.js';
import type { DatabaseConfig } from '../config.js';
import { migrateDatabase } from '../database/migrate-database.js';
import { withPatientPool } from '../database/open-database.js';
import { SCHEMA } from '../database/schema.js';
import { databaseName } from '../move/database-name.js';
import { databaseKeys, installationTrail, recordAfterwards } from './installation-trail.js';
import { print } from './print.js';

/** A server migrates when it starts. If its database user may not create tables, run this first as a user who may. */
export function addMigrateCommand(gate: Command): void {
  gate
    .command('migrate')
    .description('Create or upgrade the tables of the database')
    .action(async () => {
      const config = cliDatabaseOfProcess();
      const ran = await migrateDatabase(config, (line) => process.stderr.write(`${line}\n`));
      if (ran.length > 0)
        await recordAfterwards(withPatientPool(config, (pool) => recordMigrations(pool, config, ran)));
      print(ran.length === 0 ? 'The database is up to date.' : `Ran: ${ran.join(', ')}`);
    });
}

/** A new database has no installation yet, and must stay empty for a move into it. */
async function recordMigrations(pool: pg.Pool, config: DatabaseConfig, ran: readonly string[]): Promise<void> {
  const store = postgresStore(pool, {
    schema: SCHEMA,
    preparedStatements: !config.isBehindProxy,
    distributed: config.isDistributed,
  });
  if ((await store.readSetting(PEPPER)) === null) return;
  const trail = await installationTrail(store, databaseKeys);
  const target = { type: 'database', id: databaseName(config.url) };
  await trail({ store, opsPool: pool, action: 'installation.migrate', target, after: { ran }, id: null });
}

/** The setting that an installation creates first. */
const PEPPER = 'pepper';
