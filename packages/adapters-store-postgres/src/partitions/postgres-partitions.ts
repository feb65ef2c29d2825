import type { Instant } from '@gateramp/core/domain';
import type { Pool } from 'pg';
import { checkSchema, DEFAULT_SCHEMA } from '../database.js';
import { InstallationError } from '../errors.js';
import type { WaitOptions } from '../migrations/patience.js';
import { cutOpenEnd, newestIn } from './cut.js';
import { type DetachedPartition, dropMonths, type DropOrder, type DropStep, planDrop } from './drop.js';
import { readLayout, readOpenEnds, type TableLayout } from './layout.js';
import { mergePartitions } from './merge.js';
import { type PartitionWork, withPartitionWork } from './session.js';
import { monthAfter, PARTITIONED_TABLES, type PartitionedTable } from './tables.js';

/** The schema, and the callback and limits of waiting. */
export interface PostgresPartitionsOptions extends WaitOptions {
  /** The schema that `migrate` has created; `gateramp` by default. */
  readonly schema?: string;
}

/** Monthly partitions of the large tables: sessions, intents, transactions, events and deliveries. */
export interface PostgresPartitions {
  /** The partitions of each table, as they are. */
  layout(): Promise<readonly TableLayout[]>;
  /**
   * Converts the tables that are not partitioned yet while they are in use, and makes the months that are missing. All rows that exist
   * become one partition, without being copied, which ends with the month of `now`. Safe to repeat; after an interruption it continues.
   * Returns the tables that it changed.
   */
  on(now: Instant): Promise<readonly PartitionedTable[]>;
  /** Makes missing months of the tables that are partitioned, and only reads if there are none. Returns the tables that it changed. */
  premake(now: Instant): Promise<readonly PartitionedTable[]>;
  /**
   * Makes plain tables of them again while they are in use. Copies the rows of a table, which needs as much space again, unless one
   * partition has them all. Rows of dropped months are still refused. Safe to repeat; after an interruption the copy starts over.
   */
  off(): Promise<readonly PartitionedTable[]>;
  /** The number of complete months that are made beyond the present one, of each partitioned table. Only reads the catalog. */
  monthsAhead(now: Instant): Promise<readonly { readonly table: PartitionedTable; readonly ahead: number }[]>;
  /** The partitioned tables that lack a month. Only reads the catalog. */
  due(now: Instant): Promise<readonly PartitionedTable[]>;
  /** The months that end before an instant, oldest first, and the rows because of which one would be kept. */
  planDrop(order: DropOrder): Promise<readonly DropStep[]>;
  /**
   * Drops those months: each is detached without blocking anyone, given to `archive`, and dropped. A month with unfinished rows is kept,
   * with all later ones of its tables. Rows of dropped months are absent from then on, and refused if they come again.
   */
  drop(order: DropOrder, archive: (partition: DetachedPartition) => Promise<void>): Promise<DropResult>;
}

/** The names of dropped partitions, and the months that were kept. */
export interface DropResult {
  readonly dropped: readonly string[];
  readonly kept: readonly DropStep[];
}

/** The months that are made ahead, beyond the present one. */
export const MONTHS_AHEAD = 3;

/** A border is never closer: writes of that month must not come while the border is being made. */
const DISTANCE_MS = 24 * 3_600_000;

/** Rows that are further ahead have other ids, and months up to them would make no sense. */
const FUTURE_MAX_MS = 366 * 24 * 3_600_000;

/** The caller owns `pool`, which needs two connections. Its role must own the tables. */
export function postgresPartitions(pool: Pool, options: PostgresPartitionsOptions = {}): PostgresPartitions {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const layout = (): Promise<readonly TableLayout[]> =>
    Promise.all(PARTITIONED_TABLES.map((table) => readLayout(pool, schema, table)));

  async function ahead(now: Instant, which: (layout: TableLayout) => boolean): Promise<readonly PartitionedTable[]> {
    const due = (await layout()).filter((one) => which(one) && monthsAhead(one, now) < MONTHS_AHEAD);
    if (due.length === 0) return [];
    return withPartitionWork(pool, schema, options, async (work) => {
      const changed: PartitionedTable[] = [];
      const cuts: (readonly [PartitionedTable, readonly [Instant, ...Instant[]]])[] = [];
      for (const { table } of due) {
        // Another process may have been faster.
        const current = await readLayout(work.client, schema, table);
        if (!which(current) || monthsAhead(current, now) >= MONTHS_AHEAD) continue;
        cuts.push([table, await bordersFor(work, current, now)]);
      }
      for (const [table, borders] of cuts) {
        await cutOpenEnd(work, table, borders);
        changed.push(table);
      }
      return changed;
    });
  }

  async function monthsOfTables(now: Instant) {
    const ends = await readOpenEnds(pool, schema);
    return ends.map(({ table, from }) => ({ table, ahead: monthsBetween(now, from) }));
  }

  return {
    layout,
    monthsAhead: monthsOfTables,
    due: async (now) => (await monthsOfTables(now)).filter((one) => one.ahead < MONTHS_AHEAD).map(({ table }) => table),
    on: (now) => ahead(now, () => true),
    premake: (now) => ahead(now, ({ partitions }) => partitions !== null),
    off: () => withPartitionWork(pool, schema, options, mergePartitions),
    planDrop: (order) => withPartitionWork(pool, schema, options, (work) => planDrop(work, order)),
    drop: (order, archive) => withPartitionWork(pool, schema, options, (work) => dropMonths(work, order, archive)),
  };
}

/** The number of complete months that are made beyond the present one; -1 if the table is not partitioned. */
export function monthsAhead({ partitions }: TableLayout, now: Instant): number {
  if (partitions === null) return -1;
  return monthsBetween(now, partitions.find(({ until }) => until === null)?.from ?? now);
}

function monthsBetween(now: Instant, end: Instant): number {
  let months = 0;
  for (let month = monthAfter(now); monthAfter(month) <= end; month = monthAfter(month)) months += 1;
  return months;
}

/** Borders at the beginnings of months. The first is after all rows of the open part, which it ends. */
async function bordersFor(
  work: PartitionWork,
  { table, partitions }: TableLayout,
  now: Instant,
): Promise<readonly [Instant, ...Instant[]]> {
  const open = partitions?.find(({ until }) => until === null);
  const newest = await newestIn(work, table, open?.name ?? table);
  if (newest !== null && newest > now + FUTURE_MAX_MS)
    throw new InstallationError(
      `"${table}" has a row dated ${new Date(newest).toISOString()}. Ids must begin with their time, and a test clock may be at most a year ahead.`,
    );
  const first = monthAfter(Math.max(now + DISTANCE_MS, newest ?? 0, open?.from ?? 0));
  const borders: [Instant, ...Instant[]] = [first];
  const last = monthAfter(now);
  let wanted = last;
  for (let month = 0; month < MONTHS_AHEAD; month += 1) wanted = monthAfter(wanted);
  for (let border = monthAfter(first); border <= wanted; border = monthAfter(border)) borders.push(border);
  return borders;
}
