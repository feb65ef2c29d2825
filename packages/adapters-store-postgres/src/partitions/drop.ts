import { DAY, type Instant } from '@gateramp/core/domain';
import { InstallationError } from '../errors.js';
import { attach, dropUnattached, unattached } from './cut.js';
import { boundAt, droppedName, type Partition, readLayout } from './layout.js';
import type { PartitionWork } from './session.js';
import type { PartitionedTable } from './tables.js';

/** What is dropped together. `purchases` are sessions, intents and transactions; attempts are parts of deliveries. */
export const DROP_GROUPS = ['deliveries', 'events', 'purchases'] as const;

/** One of `DROP_GROUPS`. */
export type DropGroup = (typeof DROP_GROUPS)[number];

/** A reason to keep a month: rows that are not finished. */
export interface Unfinished {
  readonly table: PartitionedTable;
  readonly what: string;
  readonly rows: number;
  /** The id of one of them. */
  readonly example: string;
}

/** A month of tables that are dropped together, and what speaks against it. */
export interface DropStep {
  readonly tables: readonly PartitionedTable[];
  readonly until: Instant;
  readonly partitions: readonly string[];
  readonly unfinished: readonly Unfinished[];
}

/** A partition that is detached: nothing can write to it any more. */
export interface DetachedPartition {
  readonly table: PartitionedTable;
  readonly name: string;
  /** The number of migrations of the schema. */
  readonly schemaVersion: number;
  readonly columns: readonly string[];
  /** Every row as JSON text, in the order of the primary key. */
  rows(): AsyncIterable<readonly string[]>;
}

/** The order of units: what refers to other rows goes first. Intents and transactions of a purchase are created in one instant. */
const UNITS: readonly { readonly group: DropGroup; readonly tables: readonly PartitionedTable[] }[] = [
  { group: 'deliveries', tables: ['deliveries'] },
  { group: 'events', tables: ['events'] },
  { group: 'purchases', tables: ['intents', 'transactions'] },
  { group: 'purchases', tables: ['sessions'] },
];

/** Cards are disputed for up to 180 days: a purchase must be found until then. */
export const DISPUTABLE_MS = 180 * DAY;

/** Which months to drop: those of these groups that end before an instant. */
export interface DropOrder {
  readonly before: Instant;
  readonly groups: readonly DropGroup[];
  readonly now: Instant;
}

/** `keptFrom` is the start of the transactions that are kept; null if all are. A session is dropped only if none of them is its own. */
interface CheckContext extends DropOrder {
  readonly keptFrom: Instant | null;
}

/** The months that end before, oldest first, each with its unfinished rows. Only reads. */
export async function planDrop(work: PartitionWork, order: DropOrder): Promise<readonly DropStep[]> {
  const steps: DropStep[] = [];
  let context: CheckContext = { ...order, keptFrom: order.before };
  for (const { tables } of unitsOf(order)) {
    for (const until of await endsBefore(work, tables, order)) {
      const named: string[] = [];
      for (const table of tables)
        named.push(...optional(partitionsUntil(await partitionsOf(work, table), until)?.name));
      const unfinished = await unfinishedIn(work, tables, named, context);
      steps.push({ tables, until, partitions: named, unfinished });
      if (unfinished.length > 0) context = await keeping(work, tables, until, context);
    }
  }
  return steps;
}

/**
 * Drops the months of the plan, oldest first. A month with unfinished rows is kept, and so are later ones of its tables. `archive` is
 * called while the partition is detached; if it throws, its rows stay in a table of that name, and the next call continues with it.
 */
export async function dropMonths(
  work: PartitionWork,
  order: DropOrder,
  archive: (partition: DetachedPartition) => Promise<void>,
): Promise<{ readonly dropped: readonly string[]; readonly kept: readonly DropStep[] }> {
  const dropped: string[] = [];
  const kept: DropStep[] = [];
  let context: CheckContext = { ...order, keptFrom: order.before };
  for (const { tables } of unitsOf(order)) {
    for (const table of tables) dropped.push(...(await dropDetached(work, table, archive)));
    for (const until of await endsBefore(work, tables, order)) {
      const names: string[] = [];
      for (const table of tables)
        names.push(...optional(partitionsUntil(await partitionsOf(work, table), until)?.name));
      const unfinished = await unfinishedIn(work, tables, names, context);
      if (unfinished.length > 0) {
        kept.push({ tables, until, partitions: names, unfinished });
        context = await keeping(work, tables, until, context);
        break;
      }
      for (const table of tables) {
        if (!(await detachUntil(work, table, until, context))) continue;
        dropped.push(...(await dropDetached(work, table, archive)));
      }
    }
  }
  return { dropped, kept };
}

/** The context after a month is kept: if it is the first one of transactions, they are all kept from its start. */
async function keeping(
  work: PartitionWork,
  tables: readonly PartitionedTable[],
  until: Instant,
  context: CheckContext,
): Promise<CheckContext> {
  const isFirst = context.keptFrom === context.before;
  if (!tables.includes('transactions') || !isFirst) return context;
  return { ...context, keptFrom: partitionsUntil(await partitionsOf(work, 'transactions'), until)?.from ?? null };
}

function unitsOf({ groups }: DropOrder) {
  return UNITS.filter(({ group }) => groups.includes(group));
}

async function partitionsOf(work: PartitionWork, table: PartitionedTable): Promise<readonly Partition[]> {
  return (await readLayout(work.client, work.schema, table)).partitions ?? [];
}

function partitionsUntil(partitions: readonly Partition[], until: Instant): Partition | null {
  return partitions.find((one) => !one.isDropped && one.until === until) ?? null;
}

/** The ends of the partitions that lie completely before; never of the one that rows come to now. */
async function endsBefore(
  work: PartitionWork,
  tables: readonly PartitionedTable[],
  { before, now }: DropOrder,
): Promise<readonly Instant[]> {
  const ends = new Set<Instant>();
  for (const table of tables)
    for (const { until, isDropped } of await partitionsOf(work, table))
      if (!isDropped && until !== null && until <= Math.min(before, now)) ends.add(until);
  return [...ends].toSorted((one, other) => one - other);
}

/**
 * Detached without a lock that others wait for; then what has been written meanwhile is looked at again. Rows of the dropped range are
 * refused from here on, like rows that exist.
 */
async function detachUntil(
  work: PartitionWork,
  table: PartitionedTable,
  until: Instant,
  context: CheckContext,
): Promise<boolean> {
  const { client, schema } = work;
  const partitions = await partitionsOf(work, table);
  const partition = partitionsUntil(partitions, until);
  if (partition === null) return false;
  await detach(work, table, partition.name);
  const unfinished = await unfinishedIn(work, [table], [partition.name], context);
  if (unfinished.length > 0) {
    await work.briefly(() =>
      attach(client, schema, table, { name: partition.name, from: partition.from, until: partition.until }),
    );
    throw new InstallationError(
      `"${partition.name}" was kept: ${unfinished.map(({ rows, what }) => `${rows} ${what}`).join(', ')}. They changed while it was being dropped.`,
    );
  }
  const covered = partitions.find(({ isDropped }) => isDropped);
  if (covered !== undefined) await detach(work, table, covered.name);
  await work.briefly(async () => {
    const name = droppedName(table);
    await client.query(
      `create table if not exists "${schema}"."${name}" (like "${schema}".${table} including generated)`,
    );
    await client.query(`drop trigger if exists dropped on "${schema}"."${name}"`);
    await client.query(
      `create trigger dropped before insert on "${schema}"."${name}" for each row execute function "${schema}".refuse_dropped()`,
    );
    await attach(client, schema, table, { name, from: null, until });
  });
  return true;
}

/** Postgres 13 cannot detach concurrently; there it is a short lock that gives way. */
async function detach(work: PartitionWork, table: PartitionedTable, name: string): Promise<void> {
  const { client, schema } = work;
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  const text = `alter table "${schema}".${table} detach partition "${schema}"."${name}"`;
  if ((rows[0]?.version ?? 0) < 140_000) return void (await work.briefly(() => client.query(text)));
  const { rows: pending } = await client.query(
    `select from pg_inherits where inhrelid = to_regclass($1) and inhdetachpending`,
    [`"${schema}"."${name}"`],
  );
  // An interrupted run has begun it.
  await client.query(pending.length > 0 ? `${text} finalize` : `${text} concurrently`);
}

/** Archives and drops tables that are detached, also those of an interrupted run. */
async function dropDetached(
  work: PartitionWork,
  table: PartitionedTable,
  archive: (partition: DetachedPartition) => Promise<void>,
): Promise<readonly string[]> {
  const { client, schema } = work;
  await dropUnattached(work, table);
  const names = await unattached(client, schema, table);
  for (const name of names) {
    await archive(await detachedPartition(work, table, name));
    await client.query(`drop table "${schema}"."${name}"`);
  }
  return names;
}

const PAGE = 2_000;

async function detachedPartition(
  work: PartitionWork,
  table: PartitionedTable,
  name: string,
): Promise<DetachedPartition> {
  const { client, schema } = work;
  const { rows: columns } = await client.query<{ name: string; version: number }>(
    `select attname as name, (select max(number) from "${schema}".migrations) as version from pg_attribute
     where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`,
    [`"${schema}"."${name}"`],
  );
  const keys = table === 'events' ? ['id'] : ['partner_id', 'mode', 'id'];
  const text = `select row_to_json(p)::text as line, ${keys.join(', ')} from "${schema}"."${name}" p
    where (${keys.join(', ')}) > (${keys.map((_, nth) => `$${nth + 1}`).join(', ')}) order by ${keys.join(', ')} limit ${PAGE}`;
  return {
    table,
    name,
    schemaVersion: columns[0]?.version ?? 0,
    columns: columns.map((column) => column.name),
    async *rows() {
      let after = keys.map(() => '');
      for (;;) {
        const { rows } = await client.query<{ line: string } & Record<string, string>>(text, after);
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map(({ line }) => line);
        after = keys.map((key) => last[key] ?? '');
      }
    },
  };
}

interface Check {
  readonly what: string;
  /** A condition on a row `p` of the partition, which may use the time `$1`. */
  readonly where: string;
}

/** Rows that may still be needed. */
function checksOf(schema: string, table: PartitionedTable, { keptFrom }: CheckContext): readonly Check[] {
  const gate = `"${schema}"`;
  const task = {
    what: 'with work that is due',
    where: `exists (select from ${gate}.tasks t where t.done_at is null and t.row ->> 'subjectId' = p.id)`,
  };
  const disputable = `$1::bigint - ${DISPUTABLE_MS}`;
  switch (table) {
    case 'sessions':
      return [
        { what: 'open', where: `p.status = 'open' and not p.is_held and p.expires_at >= $1::bigint` },
        { what: 'held, with a payment in progress', where: `p.is_held` },
        task,
        {
          what: 'with a transaction that is kept',
          where: `exists (
            select from ${gate}.transactions t where t.session_id = p.id
            ${keptFrom === null ? '' : `and t.id >= ${boundAt('transactions', keptFrom, 'minvalue')}`})`,
        },
      ];
    case 'intents':
      return [
        {
          what: 'in progress',
          where: `p.row ->> 'status' not in ('succeeded', 'failed', 'cancelled')`,
        },
        task,
      ];
    case 'transactions':
      return [
        { what: 'in progress', where: `p.status in ('pending', 'processing')` },
        {
          what: 'with a refund or dispute in progress',
          where: `(p.row::jsonb @? '$.refunds[*] ? (@.status == "pending")' or p.row::jsonb @? '$.disputes[*] ? (@.status == "open")')`,
        },
        {
          what: 'that can still be disputed',
          where: `p.status not in ('failed', 'refunded', 'charged_back') and p.created_at >= ${disputable}`,
        },
      ];
    case 'deliveries':
      return [{ what: 'not delivered yet', where: `p.ended_at is null` }];
    case 'events':
      return [
        {
          what: 'with a delivery that is not delivered, or can be replayed',
          where: `p.id in (select d.event_id from ${gate}.deliveries d where d.ended_at is null or d.status = 'dead_lettered')`,
        },
      ];
  }
}

async function unfinishedIn(
  work: PartitionWork,
  tables: readonly PartitionedTable[],
  names: readonly string[],
  context: CheckContext,
): Promise<readonly Unfinished[]> {
  const found: Unfinished[] = [];
  for (const table of tables) {
    const name = names.find((one) => one.startsWith(`${table}_`));
    if (name === undefined) continue;
    for (const { what, where } of checksOf(work.schema, table, context)) {
      // The second condition gives `$1` its type where the first does not use it.
      const { rows } = await work.client.query<{ rows: number; example: string | null }>(
        `select count(*)::int as rows, min(p.id) as example from "${work.schema}"."${name}" p
          where (${where}) and $1::bigint is not null`,
        [context.now],
      );
      const [row] = rows;
      if (row !== undefined && row.example !== null) found.push({ table, what, rows: row.rows, example: row.example });
    }
  }
  return found;
}

function optional<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}
