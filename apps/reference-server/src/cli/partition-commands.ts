import {
  monthsAhead,
  nameOfMonth,
  postgresPartitions,
  type PostgresPartitions,
  type TableLayout,
} from '@gateramp/adapters-store-postgres';
import type { Command } from 'commander';
import type { Administration } from '@gateramp/core';
import { cliConfigOfProcess } from '../config-cli.js';
import { withPatientPool } from '../database/open-database.js';
import { SCHEMA } from '../database/schema.js';
import { INSTALLATION, withDatabase } from './administration.js';
import { CommandError } from './command-error.js';
import { confirm, YES_OPTION, type ChangeOptions, type Confirmation } from './confirm.js';
import { print, printJson, printNote, printTable } from './print.js';

/** Monthly partitions of the large tables. */
export function addPartitionCommands(gate: Command): void {
  const partition = gate.command('partition').description('Divide the large tables of Postgres into months');

  partition
    .command('plan')
    .description('Show the partitions of each table, and what `on` would change')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      await withPartitions(async ({ partitions, now }) => printPlan(await partitions.layout(), now, json === true));
    });

  partition
    .command('on')
    .description(
      'Convert the tables to monthly partitions while they are in use, and make the months that are missing. Safe to repeat',
    )
    .option('--dry-run', 'print the present state, and change nothing')
    .option('--json', 'print JSON')
    .option(...YES_OPTION)
    .action(async ({ dryRun = false, json = false, yes }: ChangeOptions & Confirmation) => {
      await withPartitions(async ({ partitions, admin, now }) => {
        const before = await partitions.layout();
        const due = before.filter((one) => monthsAhead(one, now) < 0).map(({ table }) => table);
        if (!dryRun) {
          if (due.length > 0)
            await confirm(
              `${due.join(', ')} will be partitioned by month. It takes a while, and no request waits for it over a second.`,
              { ...(yes === undefined ? {} : { yes }) },
            );
          await admin.audit.record({
            ...INSTALLATION,
            action: 'partition.on',
            before: summary(before),
            after: { tables: due },
          });
          const changed = await partitions.on(now);
          if (!json) print(changed.length === 0 ? 'All months are there already.' : `Changed: ${changed.join(', ')}`);
        }
        printPlan(await partitions.layout(), now, json);
        if (dryRun) printNote('Nothing was changed.');
      });
    });
}

interface PartitionContext {
  readonly partitions: PostgresPartitions;
  readonly admin: Administration;
  readonly now: number;
}

/** Partitions need the owner of the tables, and no limit on the time of a statement. */
function withPartitions<Result>(work: (context: PartitionContext) => Promise<Result>): Promise<Result> {
  const { place } = cliConfigOfProcess();
  if (place.kind === 'folder')
    throw new CommandError('A data folder has no partitions. They are for large databases, in Postgres.');
  return withDatabase(({ admin, clock }) =>
    withPatientPool(
      place.database,
      (pool) =>
        work({
          partitions: postgresPartitions(pool, { schema: SCHEMA, onProgress: printNote }),
          admin,
          now: clock.now('live'),
        }),
      'gateramp partition',
    ),
  );
}

/** The names of the partitions of each table, for the audit trail. */
function summary(layouts: readonly TableLayout[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    layouts.map(({ table, partitions }) => [table, (partitions ?? []).map(({ name }) => name)]),
  );
}

function printPlan(layouts: readonly TableLayout[], now: number, json: boolean): void {
  const tables = layouts.map((layout) => ({
    table: layout.table,
    is_partitioned: layout.partitions !== null,
    months_ahead: layout.partitions === null ? null : monthsAhead(layout, now),
    rows: layout.rows,
    bytes: layout.bytes,
    partitions: (layout.partitions ?? []).map(({ name, from, until, isDropped, rows, bytes }) => ({
      name,
      from: from === null ? null : new Date(from).toISOString(),
      until: until === null ? null : new Date(until).toISOString(),
      is_dropped: isDropped,
      rows,
      bytes,
    })),
  }));
  if (json) return printJson({ object: 'partition_plan', tables });
  printTable(
    ['TABLE', 'PARTITION', 'FROM', 'UNTIL', 'ROWS (ESTIMATE)', 'SIZE'],
    layouts.flatMap(({ table, partitions, rows, bytes }) =>
      partitions === null
        ? [[table, 'none', '-', '-', String(rows), megabytes(bytes)]]
        : partitions.map((one) => [
            table,
            one.name,
            one.from === null ? '-' : nameOfMonth(one.from),
            one.until === null ? '-' : nameOfMonth(one.until),
            one.isDropped ? 'dropped' : String(one.rows),
            megabytes(one.bytes),
          ]),
    ),
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
