import type { Command } from 'commander';
import { cliDatabaseOfProcess } from '../config-cli.js';
import { migrateDatabase } from '../database/migrate-database.js';
import { print } from './print.js';

/** A server migrates when it starts. If its database user may not create tables, run this first as a user who may. */
export function addMigrateCommand(gate: Command): void {
  gate
    .command('migrate')
    .description('Create the tables of the database, or bring them up to date')
    .action(async () => {
      const ran = await migrateDatabase(cliDatabaseOfProcess(), (line) => process.stderr.write(`${line}\n`));
      print(ran.length === 0 ? 'The database is up to date.' : `Ran: ${ran.join(', ')}`);
    });
}
