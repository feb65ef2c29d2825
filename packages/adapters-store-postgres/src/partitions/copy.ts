import { InstallationError } from '../errors.js';
import { grantsOf, makeEmpty } from './cut.js';
import { type Partition, readLayout } from './layout.js';
import type { PartitionWork } from './session.js';
import type { PartitionedTable } from './tables.js';

/** Rows of a batch. Deleting one of them waits for the batch. */
const BATCH = 2_000;

interface Shape {
  readonly table: PartitionedTable;
  /** The new table, which is renamed to `table` at the end. */
  readonly copy: string;
  /** The partitioned table after the exchange, until it is dropped. */
  readonly former: string;
  readonly keys: readonly string[];
  /** Without generated ones. */
  readonly columns: readonly string[];
}

/**
 * Copies the rows of all partitions into one table while they are in use, and exchanges it for the partitioned one. From before the first
 * row is copied, a trigger writes each change to both.
 *
 * A row is locked against deletion while it is copied: the trigger then deletes the copy. An update needs no lock. Either its copy
 * exists, and the trigger updates it, or the trigger inserts the row, and the older version is not copied.
 */
export async function copyPartitions(
  work: PartitionWork,
  table: PartitionedTable,
  finish: (parent: string) => Promise<void>,
): Promise<void> {
  const { client, schema, onProgress } = work;
  const partitions = ((await readLayout(client, schema, table)).partitions ?? []).filter((one) => !one.isDropped);
  const like = partitions.at(-1)?.name;
  if (like === undefined) throw new InstallationError(`"${table}" has no partition.`);
  const shape = await shapeOf(work, table);
  await removeCopy(work, shape);
  const grants = await grantsOf(client, schema, table);
  await makeEmpty(work, table, like, { name: shape.copy, from: null, until: null });
  for (const grant of grants) await client.query(grant.replace(`"${schema}".${table}`, `"${schema}"."${shape.copy}"`));
  try {
    await writeToBoth(work, shape);
    let copied = 0;
    for (const partition of partitions)
      copied = await copyRows(work, shape, partition, (rows) => {
        onProgress(`${table}: ${copied + rows} rows are copied`);
      });
    await client.query(`analyze "${schema}"."${shape.copy}"`);
    await work.briefly(async () => {
      await client.query(`lock table "${schema}".${table} in access exclusive mode`);
      await client.query(`alter table "${schema}".${table} rename to "${shape.former}"`);
      await client.query(`alter table "${schema}"."${shape.copy}" rename to ${table}`);
      await finish(`"${schema}".${table}`);
    });
  } catch (error) {
    await removeCopy(work, shape).catch(() => undefined);
    throw error;
  }
  await removeFormer(work, table);
}

const copyOf = (table: PartitionedTable): string => `${table}_copy`;
const formerOf = (table: PartitionedTable): string => `${table}_former`;

async function shapeOf({ client, schema }: PartitionWork, table: PartitionedTable): Promise<Shape> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [`"${schema}".${table}`],
  );
  return {
    table,
    copy: copyOf(table),
    former: formerOf(table),
    keys: table === 'events' ? ['id'] : ['partner_id', 'mode', 'id'],
    columns: rows.map(({ name }) => name),
  };
}

/** The trigger and the copy, also those of an interrupted run. */
async function removeCopy(work: PartitionWork, { table, copy }: Shape): Promise<void> {
  const { client, schema } = work;
  await work.briefly(async () => {
    await client.query(`drop trigger if exists write_to_copy on "${schema}".${table}`);
    await client.query(`drop function if exists "${schema}".write_to_${copy}()`);
    await client.query(`drop table if exists "${schema}"."${copy}"`);
  });
}

/**
 * Drops the former table if it still exists, and gives the indexes of the new one the names of those of its first partition, which
 * migrations refer to. One transaction does both, so that a run after an interruption finds either everything or nothing left to do.
 */
export async function removeFormer(work: PartitionWork, table: PartitionedTable): Promise<void> {
  const { client, schema } = work;
  await work.briefly(async () => {
    const { partitions } = await readLayout(client, schema, table, formerOf(table));
    const first = partitions?.find((one) => !one.isDropped);
    if (first === undefined) return;
    const indexes = await renamesOf(work, table, first.name);
    await client.query(`drop table "${schema}"."${formerOf(table)}"`);
    await client.query(`drop function if exists "${schema}".write_to_${copyOf(table)}()`);
    for (const [name, original] of indexes)
      await client.query(`alter index "${schema}"."${name}" rename to "${original}"`);
  });
}

async function writeToBoth(work: PartitionWork, { table, copy, keys, columns }: Shape): Promise<void> {
  const { client, schema } = work;
  const others = columns.filter((name) => !keys.includes(name));
  const same = keys.map((key) => `${key} = old.${key}`).join(' and ');
  await work.briefly(async () => {
    await client.query(
      `create function "${schema}".write_to_${copy}() returns trigger language plpgsql as $$
       begin
         if tg_op = 'DELETE' then
           delete from "${schema}"."${copy}" where ${same};
         else
           insert into "${schema}"."${copy}" (${columns.join(', ')}) values (${columns.map((name) => `new.${name}`).join(', ')})
           on conflict (${keys.join(', ')}) do update set ${others.map((name) => `${name} = excluded.${name}`).join(', ')};
         end if;
         return null;
       end $$`,
    );
    await client.query(
      `create trigger write_to_copy after insert or update or delete on "${schema}".${table}
       for each row execute function "${schema}".write_to_${copy}()`,
    );
  });
}

/** Returns the number of rows. */
async function copyRows(
  { client, schema }: PartitionWork,
  { copy, keys, columns }: Shape,
  { name }: Partition,
  onBatch: (rows: number) => void,
): Promise<number> {
  const list = keys.join(', ');
  const text = `with page as materialized (
      select ${columns.join(', ')} from "${schema}"."${name}"
      where (${list}) > (${keys.map((_, nth) => `$${nth + 1}`).join(', ')}) order by ${list} limit ${BATCH} for key share),
    copied as (insert into "${schema}"."${copy}" (${columns.join(', ')}) select * from page on conflict do nothing)
    select ${list}, count(*) over ()::int as many from page order by ${keys.map((key) => `${key} desc`).join(', ')} limit 1`;
  let copied = 0;
  for (let after: readonly unknown[] = keys.map(() => ''); ;) {
    const { rows } = await client.query<Record<string, unknown> & { many: number }>(text, [...after]);
    const [last] = rows;
    if (last === undefined) return copied;
    copied += last.many;
    onBatch(copied);
    after = keys.map((key) => last[key]);
  }
}

/** The indexes of a table, each with the name of the same index of a partition. */
async function renamesOf(
  { client, schema }: PartitionWork,
  table: PartitionedTable,
  first: string,
): Promise<readonly (readonly [string, string])[]> {
  const { rows } = await client.query<{ name: string; original: string }>(
    `select c.indexname as name, o.indexname as original from pg_indexes c join pg_indexes o
       on o.schemaname = c.schemaname and o.tablename = $3
       and regexp_replace(o.indexdef, '^.* USING ', '') = regexp_replace(c.indexdef, '^.* USING ', '')
       and o.indexdef ~ 'UNIQUE' = (c.indexdef ~ 'UNIQUE')
     where c.schemaname = $1 and c.tablename = $2`,
    [schema, table, first],
  );
  return rows.map(({ name, original }) => [name, original]);
}
