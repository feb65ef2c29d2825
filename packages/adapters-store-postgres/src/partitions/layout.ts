import type { Instant } from '@gateramp/core/domain';
import type { Pool, PoolClient } from 'pg';
import type { Database } from '../database.js';
import { monthNamed, nameOfMonth, PARTITIONED_TABLES, PARTITION_KEYS, type PartitionedTable } from './tables.js';

/** A partition: rows that were created from `from` (null: since the beginning) until before `until` (null: without end). */
export interface Partition {
  readonly name: string;
  readonly from: Instant | null;
  readonly until: Instant | null;
  /** Whether it covers months that were dropped, and refuses every row. */
  readonly isDropped: boolean;
  /** An estimate, from the statistics of the table. */
  readonly rows: number;
  /** With its indexes. */
  readonly bytes: number;
}

/** The partitions of one table, oldest first; null if it is not partitioned. */
export interface TableLayout {
  readonly table: PartitionedTable;
  readonly partitions: readonly Partition[] | null;
  readonly rows: number;
  readonly bytes: number;
}

interface PartitionRow {
  readonly name: string;
  readonly bound: string;
  readonly rows: number;
  readonly bytes: string;
}

export const droppedName = (table: PartitionedTable): string => `${table}_dropped`;
export const restName = (table: PartitionedTable): string => `${table}_rest`;

/** The name of the partition that begins at an instant, by its month. */
export function monthName(table: PartitionedTable, from: Instant): string {
  const isMonth = monthNamed(nameOfMonth(from)) === from;
  return `${table}_${isMonth ? nameOfMonth(from).replace('-', '_') : from}`;
}

type Queries = Pick<Pool | PoolClient, 'query'>;

/** `name` is the current name of the table, if `copyPartitions` has renamed it. */
export async function readLayout(
  database: Queries,
  schema: string,
  table: PartitionedTable,
  name: string = table,
): Promise<TableLayout> {
  const { rows: found } = await database.query<{ kind: string; rows: number; bytes: string }>(
    `select relkind as kind, greatest(reltuples, 0)::float8 as rows, pg_total_relation_size(oid) as bytes
     from pg_class where oid = to_regclass($1)`,
    [`"${schema}"."${name}"`],
  );
  const [plain] = found;
  if (plain?.kind !== 'p') return { table, partitions: null, rows: plain?.rows ?? 0, bytes: Number(plain?.bytes ?? 0) };
  const { rows } = await database.query<PartitionRow>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound, greatest(c.reltuples, 0)::float8 as rows,
       pg_total_relation_size(c.oid) as bytes
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1) and c.relpartbound is not null`,
    [`"${schema}"."${name}"`],
  );
  const partitions = rows
    .map((row) => partitionOf(table, row))
    .toSorted((one, other) => (one.from ?? -Infinity) - (other.from ?? -Infinity));
  const sum = (of: (partition: Partition) => number): number => partitions.reduce((total, one) => total + of(one), 0);
  return { table, partitions, rows: sum((one) => one.rows), bytes: sum((one) => one.bytes) };
}

/** Where the partition without end begins, of each partitioned table. */
export async function readOpenEnds(
  database: Queries,
  schema: string,
): Promise<readonly { readonly table: PartitionedTable; readonly from: Instant }[]> {
  const { rows } = await database.query<{ name: string; bound: string }>(
    `select relname as name, pg_get_expr(relpartbound, oid) as bound from pg_class
     where relnamespace = to_regnamespace($1) and relispartition and relname = any ($2)`,
    [`"${schema}"`, PARTITIONED_TABLES.map(restName)],
  );
  return PARTITIONED_TABLES.flatMap((table) => {
    const row = rows.find(({ name }) => name === restName(table));
    const from = row === undefined ? null : partitionOf(table, { ...row, rows: 0, bytes: '0' }).from;
    return from === null ? [] : [{ table, from }];
  });
}

/** `hasRows`: the partition's file was not empty when it was read. All its rows may have been deleted since they were written. */
export interface PartitionRange {
  readonly from: Instant | null;
  readonly until: Instant | null;
  readonly hasRows: boolean;
}

/** The ranges of each partitioned table, oldest first, without those of dropped months. Reads no rows. */
export async function readRanges(
  database: Pick<Database, 'query'>,
  schema: string,
): Promise<ReadonlyMap<PartitionedTable, readonly PartitionRange[]>> {
  const found = await database.query<{ table: PartitionedTable; name: string; bound: string; has_rows: boolean }>(
    `select p.relname as table, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound,
       coalesce(pg_relation_size(c.oid) > 0, false) as has_rows
     from pg_class p join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid
     where p.relnamespace = to_regnamespace('"${schema}"') and p.relkind = 'p' and c.relpartbound is not null
       and p.relname in (${PARTITIONED_TABLES.map((table) => `'${table}'`).join(', ')})`,
    [],
  );
  const ranges = new Map<PartitionedTable, PartitionRange[]>();
  for (const { table, name, bound, has_rows: hasRows } of found) {
    if (name === droppedName(table)) continue;
    const { from, until } = partitionOf(table, { name, bound, rows: 0, bytes: '0' });
    ranges.set(table, [...(ranges.get(table) ?? []), { from, until, hasRows }]);
  }
  for (const some of ranges.values()) some.sort((one, other) => (one.from ?? -Infinity) - (other.from ?? -Infinity));
  return ranges;
}

function partitionOf(table: PartitionedTable, { name, bound, rows, bytes }: PartitionRow): Partition {
  const [, from, until] = /^FOR VALUES FROM \((.*)\) TO \((.*)\)$/.exec(bound) ?? [];
  return {
    name,
    from: instantIn(table, from),
    until: instantIn(table, until),
    isDropped: name === droppedName(table),
    rows,
    bytes: Number(bytes),
  };
}

function instantIn(table: PartitionedTable, bound: string | undefined): Instant | null {
  if (bound === undefined || bound === 'MINVALUE' || bound === 'MAXVALUE') return null;
  return PARTITION_KEYS[table].instantOf(bound.replaceAll("'", ''));
}

/** The text of a bound in SQL. */
export function boundAt(table: PartitionedTable, instant: Instant | null, end: 'minvalue' | 'maxvalue'): string {
  if (instant === null) return end;
  const value = PARTITION_KEYS[table].at(instant);
  return typeof value === 'number' ? String(value) : `'${value}'`;
}

/** The range of a partition in SQL. */
export function rangeOf(table: PartitionedTable, from: Instant | null, until: Instant | null): string {
  return `from (${boundAt(table, from, 'minvalue')}) to (${boundAt(table, until, 'maxvalue')})`;
}
