import type { Mode, Scope } from '@gateramp/core';
import {
  deliveryEndpoint,
  type Instant,
  type Lane,
  laneEndpoint,
  MODES,
  PAUSED_LANE,
  type Session,
  type Task,
} from '@gateramp/core/domain';
import {
  type Backlog,
  BACKLOG_COUNT_MAX,
  DUE_TASKS_MAX,
  type Marks,
  type MarksRequest,
  type OperatorReads,
  OVERDUE_MS,
  type UnfinishedWork,
} from '@gateramp/core/ports';
import {
  type Database,
  type DistributedReads,
  markParts,
  OF_PARTNERS,
  parseRow,
  queuedOf,
  type QueuedRow,
  type RowText,
  sumOfIds,
  taskOf,
  type TaskRow,
} from '@gateramp/adapters-store-postgres/distribution';

/**
 * The operators' reads on distributed tables. Those of all partners query every node, with statements that Citus splits into one per
 * shard: an ordered list with a limit, of one table or of tables that are joined by partner. What counts such a list, or picks from it,
 * has it as a subquery, which Citus runs first; so only the result is sent to this process.
 */
export function operatorOfShards(database: Database, schema: string): DistributedReads {
  const waiting = `select count(*)::int as many from "${schema}".delivery_queue
    where partner_id = $1 and lane in ('first', 'retry', '${PAUSED_LANE}') and endpoint = $2`;
  return {
    ...unfinishedWork(database, schema),
    marks: marks(database, schema),
    backlog: backlog(database, schema),
    probe: probe(database, schema),
    waitingDeliveries: async (scope: Scope) => {
      const endpoint = deliveryEndpoint({ ...scope, target: 'webhook' });
      return (await database.query<{ many: number }>(waiting, [scope.partnerId, endpoint]))[0]?.many ?? 0;
    },
  };
}

/** A reference table is written on all nodes, so this fails if any node cannot commit. No locks of distributed tables are tried. */
function probe(database: Database, schema: string): DistributedReads['probe'] {
  const write = `insert into "${schema}".settings (name, value) values ('probed', $1)
    on conflict (name) do update set value = excluded.value`;
  const time = 'select (extract(epoch from clock_timestamp()) * 1000)::double precision as now';
  return async () => {
    await database.query(write, [String(Date.now())]);
    return (await database.query<{ now: number }>(time, []))[0]?.now ?? NaN;
  };
}

function backlog(database: Database, schema: string): DistributedReads['backlog'] {
  const count = (rows: string): string => countOf(`"${schema}".${rows}`, BACKLOG_COUNT_MAX);
  const deliveries = count(
    `delivery_queue where mode = $1 and lane <> '${PAUSED_LANE}' and due_at <= $2 and (lease_until is null or lease_until <= $2)`,
  );
  const tasks = count('tasks where mode = $1 and free_at <= $2');
  const held = count('sessions where mode = $1 and is_held');
  const counted = async (text: string, values: readonly unknown[]): Promise<number> =>
    (await database.query<{ many: number }>(text, values))[0]?.many ?? 0;
  return async (mode: Mode, now: Instant): Promise<Backlog> => {
    const overdue = now - OVERDUE_MS;
    return {
      dueDeliveries: await counted(deliveries, [mode, now]),
      overdueDeliveries: await counted(deliveries, [mode, overdue]),
      dueTasks: await counted(tasks, [mode, now]),
      overdueTasks: await counted(tasks, [mode, overdue]),
      heldSessions: await counted(held, [mode]),
    };
  };
}

interface DueRow extends TaskRow {
  readonly id: string;
  readonly free_at: string;
  readonly many: number;
}

/** Counts rows up to a limit. Each shard reads no more than that. */
function countOf(rows: string, limit: number): string {
  return `select count(*)::int as many from (select 1 as one from ${rows} limit ${limit}) counted`;
}

function unfinishedWork(database: Database, schema: string): UnfinishedWork {
  const lanes = `select distinct lane from "${schema}".delivery_queue where mode = $1`;
  const queued = (
    ofPartner: string,
  ) => `select d.id, d.partner_id, d.event_id, d.event_type, d.created_at, d.row::text as row,
      q.due_at, q.lease_token, q.lease_until, q.claims
    from "${schema}".delivery_queue q
    join "${schema}".deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
    where q.mode = $1 and q.lane = $2${ofPartner} order by q.due_at, q.id limit $3`;
  const task = `row::text as row, lease_token, lease_until, claims, id, free_at from "${schema}".tasks where mode = $1`;
  const due = `select distinct on (kind) row, lease_token, lease_until, claims, id, free_at, (count(*) over ())::int as many from (
      select row ->> 'kind' as kind, ${task} and free_at <= $2 order by free_at, id limit ${DUE_TASKS_MAX + 1}) due
    order by kind, free_at, id`;
  const parked = (which = '') => `select ${task} and free_at is null and done_at is null${which} order by id limit $2`;
  const dead = `select count(*)::int as count from (
      select from "${schema}".deliveries d where d.partner_id = $1 and d.partner_id collate "POSIX" = $1 and d.mode = $2
        and d.kind = 'dead_lettered' limit $3) counted`;
  const failed = `select ${task} and free_at is not null and (row ->> 'failures')::int > 0 order by id limit $2`;
  const overdue = `select ${task} and free_at is not null and free_at < $2 order by free_at, id limit $3`;
  const held = `select row::text as row from "${schema}".sessions where mode = $1 and is_held order by id limit $2`;
  const tasksOf = async (text: string, values: readonly unknown[]): Promise<readonly Task[]> =>
    (await database.query<TaskRow>(text, values)).map(taskOf);
  return {
    async queuedDeliveries(mode, perLane, partnerId = null) {
      const found: (QueuedRow & { readonly due_at: string })[] = [];
      for (const { lane } of await database.query<{ lane: Lane }>(lanes, [mode])) {
        const text = queued(partnerId === null ? '' : ' and q.partner_id = $4 and q.endpoint = $5');
        const own = partnerId === null ? [] : [partnerId, laneEndpoint({ partnerId, mode }, lane)];
        const values = [mode, lane, perLane, ...own];
        found.push(...(await database.query<QueuedRow & { readonly due_at: string }>(text, values)));
      }
      return found
        .sort((one, other) => Number(one.due_at) - Number(other.due_at) || (one.id < other.id ? -1 : 1))
        .map((row) => queuedOf(mode, row));
    },
    async oldestTasks(mode, now) {
      const found = await database.query<DueRow>(due, [mode, now]);
      const tasks = found
        .toSorted((one, other) => Number(one.free_at) - Number(other.free_at) || (one.id < other.id ? -1 : 1))
        .map(taskOf);
      return { tasks, hasMore: (found[0]?.many ?? 0) > DUE_TASKS_MAX };
    },
    async stuckTasks(mode, dueBefore, limit) {
      const found = [
        ...(await tasksOf(parked(), [mode, limit])),
        ...(await tasksOf(failed, [mode, limit])),
        ...(await tasksOf(overdue, [mode, dueBefore, limit])),
      ];
      // A failed task may be overdue too.
      return [...new Map(found.map((one) => [one.id, one])).values()]
        .sort((one, other) => (one.id < other.id ? -1 : 1))
        .slice(0, limit);
    },
    parkedTasks: (mode, limit, partnerIds = null) =>
      partnerIds === null ? tasksOf(parked(), [mode, limit]) : tasksOf(parked(OF_PARTNERS), [mode, limit, partnerIds]),
    async countDeadLetters(scopes, limit) {
      const counts: number[] = [];
      for (const { partnerId, mode } of scopes) {
        const [row] = await database.query<{ count: number }>(dead, [partnerId, mode, limit]);
        counts.push(row?.count ?? 0);
      }
      return counts;
    },
    heldSessions: async (mode, limit) =>
      (await database.query<RowText>(held, [mode, limit]))
        .map((row) => parseRow<Session>(row))
        .sort((one, other) => (one.heldSince ?? 0) - (other.heldSince ?? 0) || (one.id < other.id ? -1 : 1)),
  };
}

/** Statements of one partner each, and two counts on all nodes. */
function marks(database: Database, schema: string): OperatorReads['marks'] {
  const { newestEvent, queue, health, entry } = markParts(schema, { partner: '$1', mode: '$2', isDistributed: true });
  const newestEntry = `select max(sequence) as value from "${schema}".audit_entries`;
  const held = sumOfIds(`"${schema}".sessions where mode = $1 and is_held`);
  const parked = sumOfIds(`"${schema}".tasks where mode = $1 and free_at is null and done_at is null`);
  const valueOf = async (text: string, values: readonly unknown[]): Promise<string | null> =>
    (await database.query<{ value: string | null }>(text, values))[0]?.value ?? null;
  return async ({ scopes, work }: MarksRequest): Promise<Marks> => {
    const ofScope = async ({ partnerId, mode }: Scope) => {
      const values = [partnerId, mode];
      const deliveries = [await valueOf(queue, values), await valueOf(health, values)];
      return {
        events: await valueOf(newestEvent, values),
        deliveries: deliveries.filter((one) => one !== null).join('/'),
        settings: Number((await valueOf(entry, values)) ?? 0),
      };
    };
    const sums: (string | null)[] = [];
    if (work) for (const mode of MODES) for (const text of [held, parked]) sums.push(await valueOf(text, [mode]));
    return {
      scopes: await Promise.all(scopes.map(ofScope)),
      audit: Number((await valueOf(newestEntry, [])) ?? 0),
      work: work ? sums.join('.') : null,
    };
  };
}
