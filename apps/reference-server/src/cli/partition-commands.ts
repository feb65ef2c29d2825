import {
  DROP_GROUPS,
  type DropGroup,
  type DropOrder,
  type DropStep,
  monthNamed,
  monthsAhead,
  nameOfMonth,
  postgresPartitions,
  type PostgresPartitions,
  type TableLayout,
} from '@gateramp/adapters-store-postgres';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Administration } from '@gateramp/core';
import { cliConfigOfProcess } from '../config/cli-config.js';
import { withPatientPool } from '../database/open-database.js';
import { SCHEMA } from '../database/schema.js';
import { INSTALLATION, withDatabase } from './administration.js';
import { CommandError, UsageError } from './command-error.js';
import { confirm, YES_OPTION, type ChangeOptions, type Confirmation } from './confirm.js';
import { type ArchiveManifest, verifyArchive, writeArchive } from './partition-archive.js';
import { print, printResult, printNote, printTable } from './print.js';

/** Monthly partitions of the large tables. */
export function addPartitionCommands(gate: Command): void {
  const partition = gate.command('partition').description('Partition the large tables of Postgres by month');

  partition
    .command('plan')
    .description('Show the partitions of each table, and what `on` would change')
    .action(async () => {
      await withPartitions(async ({ partitions, now }) => printPlan(await partitions.layout(), now));
    });

  partition
    .command('on')
    .description(
      'Convert the tables to monthly partitions while they are in use, and create missing months. Safe to repeat',
    )
    .option('--dry-run', 'print the current state without changing anything')
    .option(...YES_OPTION)
    .action(async ({ dryRun = false, yes }: ChangeOptions & Confirmation) => {
      await withPartitions(async ({ partitions, admin, now }) => {
        const before = await partitions.layout();
        const due = before.filter((one) => monthsAhead(one, now) < 0).map(({ table }) => table);
        if (!dryRun) {
          if (due.length > 0)
            await confirm(
              `${due.join(', ')} will be partitioned by month. This takes a while; no request waits for more than a second.`,
              { ...(yes === undefined ? {} : { yes }) },
            );
          await admin.audit.record({
            ...INSTALLATION,
            action: 'partition.on',
            before: summary(before),
            after: { tables: due },
          });
          const changed = await partitions.on(now);
          print(changed.length === 0 ? 'All months already exist.' : `Changed: ${changed.join(', ')}`);
        }
        printPlan(await partitions.layout(), now);
        if (dryRun) printNote('Nothing was changed.');
      });
    });

  partition
    .command('off')
    .description('Convert the tables back to plain tables while they are in use. Rows of several months are copied')
    .option('--dry-run', 'print the current state without changing anything')
    .option(...YES_OPTION)
    .action(async ({ dryRun = false, yes }: ChangeOptions & Confirmation) => {
      await withPartitions(async ({ partitions, admin, now }) => {
        const before = await partitions.layout();
        if (!dryRun) {
          await confirm('The tables will no longer be partitioned.', yes === undefined ? {} : { yes });
          await admin.audit.record({ ...INSTALLATION, action: 'partition.off', before: summary(before), after: null });
          const changed = await partitions.off();
          print(changed.length === 0 ? 'No table is partitioned.' : `Changed: ${changed.join(', ')}`);
        }
        printPlan(await partitions.layout(), now);
        if (dryRun) printNote('Nothing was changed.');
      });
    });

  partition
    .command('drop')
    .description(
      'Archive and drop old months without blocking requests. Months with unfinished rows are kept and listed',
    )
    .requiredOption('--before <month>', 'the first month to keep, such as 2030-01', readMonth)
    .option('--archive <folder>', 'folder for the archives: each month as compressed NDJSON with a manifest')
    .option('--without-archive', 'delete the rows permanently')
    .addOption(
      new Option(
        '--only <group>',
        'deliveries (with attempts), events, or purchases (sessions, intents and transactions)',
      ).choices(DROP_GROUPS),
    )
    .option('--dry-run', 'print what would be dropped and kept without dropping it')
    .option(...YES_OPTION)
    .action(drop);

  partition
    .command('verify <manifest>')
    .description('Verify an archive against its manifest')
    .action(async (path: string) => {
      const manifest = await verifyArchive(path);
      const { rows, file } = manifest;
      printResult(manifest);
      print(`${file} is intact: ${rows} rows.`);
    });
}

interface DropOptions extends ChangeOptions, Confirmation {
  readonly before: number;
  readonly archive?: string;
  readonly withoutArchive?: boolean;
  readonly only?: DropGroup;
}

async function drop(given: DropOptions): Promise<void> {
  const { before, archive, withoutArchive = false, only, dryRun = false, yes } = given;
  if (!dryRun && (archive === undefined) !== withoutArchive)
    throw new UsageError('Pass either --archive with a folder, or --without-archive.');
  await withPartitions(async ({ partitions, admin, now }) => {
    const order: DropOrder = { before, now, groups: only === undefined ? DROP_GROUPS : [only] };
    const planned = await partitions.planDrop(order);
    if (dryRun) {
      printResult({ object: 'partition_drop', months: planned.map(stepFields) });
      printSteps(planned);
      return printNote('Nothing was changed.');
    }
    await confirm(
      `Months before ${nameOfMonth(before)} will be dropped: ${planned.flatMap((step) => (step.unfinished.length > 0 ? [] : step.partitions)).join(', ') || 'none'}.`,
      yes === undefined ? {} : { yes },
    );
    await admin.audit.record({
      ...INSTALLATION,
      action: 'partition.drop',
      before: Object.fromEntries(planned.map((step) => [step.partitions.join(' '), step.unfinished.length])),
      after: { before: nameOfMonth(before), groups: order.groups, archive: archive ?? null },
    });
    const manifests: ArchiveManifest[] = [];
    const done = await partitions.drop(order, async (partition) => {
      if (archive === undefined) return;
      const manifest = await writeArchive(archive, partition);
      manifests.push(manifest);
      printNote(`${manifest.file}: ${manifest.rows} rows, sha256 ${manifest.sha256}`);
    });
    printResult({
      object: 'partition_drop',
      dropped: done.dropped,
      kept: done.kept.map(stepFields),
      archives: manifests,
    });
    print(done.dropped.length === 0 ? 'Nothing was dropped.' : `Dropped: ${done.dropped.join(', ')}`);
    if (done.kept.length > 0) printSteps(done.kept);
  });
}

function stepFields({ partitions, until, unfinished }: DropStep) {
  return { partitions, until: nameOfMonth(until), kept: unfinished.length > 0, unfinished };
}

function printSteps(steps: readonly DropStep[]): void {
  printTable(
    ['PARTITIONS', 'ENDS BEFORE', 'KEPT BECAUSE OF', 'SUCH AS'],
    steps.map(({ partitions, until, unfinished }) => [
      partitions.join(', '),
      nameOfMonth(until),
      unfinished.map(({ table, what, rows }) => `${rows} ${table} ${what}`).join('; ') || '-',
      unfinished.map(({ example }) => example).join(', ') || '-',
    ]),
  );
}

function readMonth(text: string): number {
  const month = monthNamed(text);
  if (month === null) throw new InvalidArgumentError('Pass a month such as 2030-01.');
  return month;
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
    throw new CommandError('Partitions require Postgres. GATE_DATA_DIR does not support them.');
  if (place.database.isDistributed)
    throw new CommandError('Tables that are distributed over Citus cannot be partitioned by month.');
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

function printPlan(layouts: readonly TableLayout[], now: number): void {
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
  printResult({ object: 'partition_plan', tables });
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
