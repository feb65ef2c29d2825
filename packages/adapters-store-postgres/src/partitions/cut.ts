import type { Instant } from '@gateramp/core/domain';
import type { PoolClient } from 'pg';
import { InstallationError } from '../errors.js';
import { boundAt, monthName, rangeOf, readLayout, restName } from './layout.js';
import type { PartitionWork } from './session.js';
import { nameOfMonth, PARTITION_KEYS, type PartitionedTable, SESSIONS_IDENTITY } from './tables.js';

/**
 * Ends the part of a table that has no end yet, at the first of `borders`, and adds an empty partition up to each of the others and one
 * without end after the last. That part is the whole table while it is not partitioned, and later the last partition.
 *
 * Everything that takes time happens before: the new partitions are made apart, and a validated constraint proves to Postgres that no row
 * lies beyond the border, so that attaching reads nothing. The transaction that exchanges the tables only changes the catalog.
 */
export async function cutOpenEnd(
  work: PartitionWork,
  table: PartitionedTable,
  borders: readonly [Instant, ...Instant[]],
): Promise<void> {
  const { partitions } = await readLayout(work.client, work.schema, table);
  await dropUnattached(work, table);
  if (partitions === null) return convert(work, table, borders);
  const open = partitions.find(({ until }) => until === null);
  if (open === undefined || open.from === null)
    throw new InstallationError(`The last partition of "${table}" was not created by Gateramp.`);
  const from = open.from;
  if (
    (await isEmpty(work.client, work.schema, open.name)) &&
    (await insertMonths(work, table, { from, open: open.name }, borders))
  )
    return;
  await endFilledRest(work, table, { from, open: open.name }, borders);
}

/** The newest instant in the open part of a table, by its partition key; null if it has no rows or no ids that begin with a time. */
export async function newestIn(work: PartitionWork, table: PartitionedTable, name: string): Promise<Instant | null> {
  const { column, instantOf } = PARTITION_KEYS[table];
  const { rows } = await work.client.query<{ newest: string | null }>(
    `select max(${column})::text as newest from "${work.schema}"."${name}"`,
  );
  const newest = rows[0]?.newest ?? null;
  if (newest === null) return null;
  const instant = instantOf(newest);
  if (instant === null)
    throw new InstallationError(
      `"${table}" cannot be partitioned by month: its ${column} "${newest}" does not begin with a time, as those of \`nodeIds\` do.`,
    );
  return instant;
}

async function convert(
  work: PartitionWork,
  table: PartitionedTable,
  borders: readonly [Instant, ...Instant[]],
): Promise<void> {
  const { client, schema, onProgress } = work;
  const parent = `"${schema}".${table}`;
  const old = `${table}_before_${nameOfMonth(borders[0]).replace('-', '_')}`;
  onProgress(`${table}: checks that all rows are older than ${nameOfMonth(borders[0])}`);
  await addBorder(work, table, table, null, borders[0]);
  const months = await makeMonths(work, table, table, borders);
  if (table === 'events') await keepKeysOfEvents(work);
  await work.briefly(async () => {
    await client.query(`lock table ${parent} in access exclusive mode`);
    const { rows } = await client.query<{ owner: string }>(
      'select relowner::regrole::text as owner from pg_class where oid = to_regclass($1)',
      [parent],
    );
    const grants = await grantsOf(client, schema, table);
    const oid = await client.query<{ oid: string }>('select to_regclass($1)::oid::text as oid', [parent]);
    if (table === 'sessions') await rememberIdentity(client, schema, oid.rows[0]?.oid ?? '');
    if (table === 'events') await client.query(`drop trigger if exists keys_of_events on ${parent}`);
    await client.query(`alter table ${parent} rename to "${old}"`);
    await client.query(
      `create table ${parent} (like "${schema}"."${old}" including defaults including generated including storage including comments)
       partition by range (${PARTITION_KEYS[table].column})`,
    );
    await client.query(`alter table ${parent} owner to ${rows[0]?.owner ?? 'current_user'}`);
    for (const grant of grants) await client.query(grant);
    await attach(client, schema, table, { name: old, from: null, until: borders[0] });
    await client.query(`alter table "${schema}"."${old}" drop constraint ${table}_border`);
    for (const month of months) await attach(client, schema, table, month);
    if (table === 'events') await client.query(triggerOfKeys(schema));
  });
  // Postgres never analyzes a partitioned table by itself.
  await client.query(`analyze ${parent}`);
  onProgress(`${table}: is partitioned`);
}

/** The statements that grant on a table of this name what is granted on it now. */
export async function grantsOf(
  client: PoolClient,
  schema: string,
  table: PartitionedTable,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select format('grant %s on table %s to %s%s', a.privilege_type, $1::text,
       case when a.grantee = 0 then 'public' else a.grantee::regrole::text end, case when a.is_grantable then ' with grant option' else '' end) as text
     from pg_class c, aclexplode(c.relacl) a where c.oid = to_regclass($1) and a.grantee <> c.relowner`,
    [`"${schema}".${table}`],
  );
  return rows.map(({ text }) => text);
}

/**
 * The identity of a database contains that of the table `sessions`, which is a new one from here on: without the former, a server would
 * take the database for a restored one. It holds only where `settings` is still the table that it was.
 */
async function rememberIdentity(client: PoolClient, schema: string, oid: string): Promise<void> {
  await client.query(
    `insert into "${schema}".settings (name, value) values ('${SESSIONS_IDENTITY}', to_regclass($1)::oid::text || '/' || $2)
     on conflict (name) do nothing`,
    [`"${schema}".settings`, oid],
  );
}

interface Span {
  readonly name: string;
  readonly from: Instant | null;
  readonly until: Instant | null;
}

interface OpenPart {
  readonly from: Instant;
  readonly open: string;
}

/** False if a row has come meanwhile. */
async function insertMonths(
  work: PartitionWork,
  table: PartitionedTable,
  { from, open }: OpenPart,
  borders: readonly [Instant, ...Instant[]],
): Promise<boolean> {
  const { client, schema } = work;
  const months: Span[] = [];
  for (const [nth, until] of borders.entries()) {
    const begin = borders[nth - 1] ?? from;
    months.push(await makeEmpty(work, table, open, { name: monthName(table, begin), from: begin, until }));
  }
  const last = borders.at(-1) ?? from;
  const done = await work.briefly(async () => {
    await client.query(`lock table "${schema}".${table} in access exclusive mode`);
    if (!(await isEmpty(client, schema, open))) return false;
    await client.query(`alter table "${schema}".${table} detach partition "${schema}"."${open}"`);
    for (const month of months) await attach(client, schema, table, month);
    await attach(client, schema, table, { name: open, from: last, until: null });
    return true;
  });
  if (!done) await dropUnattached(work, table);
  return done;
}

/** The last partition has rows: it ends at the border, under the name of the month in which it began. */
async function endFilledRest(
  work: PartitionWork,
  table: PartitionedTable,
  { from, open }: OpenPart,
  borders: readonly [Instant, ...Instant[]],
): Promise<void> {
  const { client, schema } = work;
  await addBorder(work, table, open, from, borders[0]);
  const next = `${table}_next_rest`;
  const months = await makeMonths(work, table, open, borders, next);
  await work.briefly(async () => {
    await client.query(`lock table "${schema}".${table} in access exclusive mode`);
    await client.query(`alter table "${schema}".${table} detach partition "${schema}"."${open}"`);
    await client.query(`alter table "${schema}"."${open}" rename to "${monthName(table, from)}"`);
    await attach(client, schema, table, { name: monthName(table, from), from, until: borders[0] });
    await client.query(`alter table "${schema}"."${monthName(table, from)}" drop constraint ${table}_border`);
    for (const month of months) await attach(client, schema, table, month);
    await client.query(`alter table "${schema}"."${next}" rename to "${restName(table)}"`);
  });
}

/** A constraint that no row is outside of the range. It is checked without a lock that writes wait for. */
async function addBorder(
  work: PartitionWork,
  table: PartitionedTable,
  name: string,
  from: Instant | null,
  until: Instant,
): Promise<void> {
  const { client, schema } = work;
  const { column } = PARTITION_KEYS[table];
  const lower = from === null ? '' : `${column} >= ${boundAt(table, from, 'minvalue')} and `;
  await work.briefly(async () => {
    await client.query(`alter table "${schema}"."${name}" drop constraint if exists ${table}_border`);
    await client.query(
      `alter table "${schema}"."${name}" add constraint ${table}_border
       check (${lower}${column} < ${boundAt(table, until, 'maxvalue')}) not valid`,
    );
  });
  try {
    await client.query(`alter table "${schema}"."${name}" validate constraint ${table}_border`);
  } catch (error) {
    await work.briefly(() =>
      client.query(`alter table "${schema}"."${name}" drop constraint if exists ${table}_border`),
    );
    throw error;
  }
}

async function makeMonths(
  work: PartitionWork,
  table: PartitionedTable,
  like: string,
  borders: readonly Instant[],
  rest = restName(table),
): Promise<readonly Span[]> {
  const months: Span[] = [];
  for (const [nth, from] of borders.entries()) {
    const until = borders[nth + 1] ?? null;
    months.push(
      await makeEmpty(work, table, like, { name: until === null ? rest : monthName(table, from), from, until }),
    );
  }
  return months;
}

/** A table of its own, with the columns, indexes and storage of the others. */
export async function makeEmpty(work: PartitionWork, table: PartitionedTable, like: string, span: Span): Promise<Span> {
  const { client, schema } = work;
  const { rows } = await client.query<{ storage: string | null; owner: string }>(
    `select array_to_string(reloptions, ', ') as storage, relowner::regrole::text as owner from pg_class where oid = to_regclass($1)`,
    [`"${schema}"."${like}"`],
  );
  const storage = rows[0]?.storage ?? null;
  await client.query(
    `create table "${schema}"."${span.name}" (like "${schema}"."${like}" including all excluding constraints)${storage === null ? '' : ` with (${storage})`}`,
  );
  await client.query(`alter table "${schema}"."${span.name}" owner to ${rows[0]?.owner ?? 'current_user'}`);
  return span;
}

export async function attach(client: PoolClient, schema: string, table: PartitionedTable, span: Span): Promise<void> {
  await client.query(
    `alter table "${schema}".${table} attach partition "${schema}"."${span.name}" for values ${rangeOf(table, span.from, span.until)}`,
  );
}

/** What an interrupted run has left: partitions without rows that are not attached. One with rows was detached to be archived. */
export async function dropUnattached(work: PartitionWork, table: PartitionedTable): Promise<void> {
  for (const name of await unattached(work.client, work.schema, table))
    if (await isEmpty(work.client, work.schema, name)) await work.client.query(`drop table "${work.schema}"."${name}"`);
}

/** Tables with the name of a partition that are not attached. */
export async function unattached(
  client: PoolClient,
  schema: string,
  table: PartitionedTable,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = to_regnamespace($1) and relkind = 'r' and not relispartition
     and relname ~ $2 order by 1`,
    [`"${schema}"`, `^${table}_(\\d+(_\\d\\d)?|before_\\d+_\\d\\d|rest|next_rest|dropped)$`],
  );
  return rows.map(({ name }) => name);
}

export async function isEmpty(client: PoolClient, schema: string, name: string): Promise<boolean> {
  const { rows } = await client.query<{ has_rows: boolean }>(
    `select exists (select from "${schema}"."${name}") as has_rows`,
  );
  return rows[0]?.has_rows === false;
}

const KEYS_BATCH = 20_000;

const triggerOfKeys = (schema: string): string => `create trigger keys_of_events after insert on "${schema}".events
  referencing new table as added for each statement execute function "${schema}".keep_event_keys()`;

/** From here on every insert adds its keys; those of the rows that exist are copied, without a lock. */
async function keepKeysOfEvents(work: PartitionWork): Promise<void> {
  const { client, schema, onProgress } = work;
  await work.briefly(async () => {
    await client.query(`drop trigger if exists keys_of_events on "${schema}".events`);
    await client.query(triggerOfKeys(schema));
  });
  let copied = 0;
  for (let after = ''; ;) {
    const { rows } = await client.query<{ last: string | null; many: number }>(
      `with page as materialized (
         select id, session_id, sequence, created_at from "${schema}".events where id > $1 order by id limit ${KEYS_BATCH}),
       kept as (
         insert into "${schema}".event_keys (id, session_id, sequence, created_at) select * from page on conflict do nothing)
       select max(id) as last, count(*)::int as many from page`,
      [after],
    );
    const { last = null, many = 0 } = rows[0] ?? {};
    if (last === null) return;
    copied += many;
    after = last;
    onProgress(`events: ${copied} keys are copied`);
  }
}
