import {
  endpointResult,
  freeAt,
  isLeased,
  leaseOf,
  MODES,
  noteResult,
  PAUSED_LANE,
  sandboxEndpoint,
  UNTRIED,
  type Delivery,
  type EndpointHealth,
  type Instant,
  type Lane,
  type Mode,
  type Task,
} from '@gateramp/core/domain';
import type {
  ClaimedDelivery,
  Claims,
  ClaimsOfOne,
  DeliveryOutcome,
  DueItem,
  Lease,
  SandboxDue,
  SandboxesDue,
  TaskClaim,
  WorkKind,
  WorkOwner,
  WorkStore,
} from '@gateramp/core/ports';
import type { Connection } from './connection.js';
import type { SqliteDatabase } from './database.js';
import { inOrderDue, takeFairly } from './take-fairly.js';
import { eventOfDelivery } from './reads.js';
import { deliveryById, deliveryColumns, find, ofScope, taskById, taskColumns } from './rows.js';
import { insert, put, update } from './write-row.js';

export function work({ connection, write }: SqliteDatabase): WorkStore {
  const claims: Claims = {
    delivery: (request) =>
      write((db) =>
        takeFairly(db, request).map(({ id, now }) => {
          const { leaseMs, token } = request;
          return leaseDelivery(db, known(deliveryById(db, id)), { now, leaseMs, token });
        }),
      ),
    task: (request) =>
      write((db) => {
        const { limit, leaseMs, token } = request;
        return inOrderDue(dueTasks(db, request))
          .slice(0, limit)
          .map((one) => leaseTask(db, known(taskById(db, one.id)), { now: one.now, leaseMs, token }));
      }),
  };
  const claimsOfOne: ClaimsOfOne = {
    delivery: (owner, id, lease) =>
      write((db) => {
        const row = deliveryById(db, id);
        return row !== null && isFree(row, owner, lease) ? leaseDelivery(db, row, lease) : null;
      }),
    task: (owner, id, lease) =>
      write((db) => {
        const row = taskById(db, id);
        return row !== null && isFree(row, owner, lease, lease.early) ? leaseTask(db, row, lease) : null;
      }),
  };
  return {
    claim: (kind, request) => claims[kind](request),
    claimOne: (kind, ...args) => claimsOfOne[kind](...args),
    recordDelivery: (outcome) => write((db) => recordDelivery(db, outcome)),
    nextDue: async (mode, kinds) => nextDue(connection(), mode, kinds),
    sandboxesDue: async (request) => sandboxesDue(connection(), request),
  };
}

/** The first due tasks of each mode, and of each sandbox that has its own time. */
function dueTasks(db: Connection, { now, sandboxes = new Map(), limit }: TaskClaim) {
  const due = (text: string, at: Instant, ...values: string[]) =>
    db
      .all<DueRow>(
        `select id, free_at from tasks where ${text} and free_at <= ? order by free_at, id limit ${limit}`,
        ...[...values, at],
      )
      .map((row) => ({ id: row.id, freeAt: row.free_at, now: at }));
  const isApart =
    sandboxes.size === 0 ? '' : "and (mode = 'live' or partner_id not in (select value from json_each(?)))";
  const apart = sandboxes.size === 0 ? [] : [JSON.stringify([...sandboxes.keys()])];
  return [
    ...MODES.flatMap((mode) => due(`mode = ? ${isApart}`, now[mode], mode, ...apart)),
    ...[...sandboxes].flatMap(([partnerId, at]) => due("partner_id = ? and mode = 'test'", at, partnerId)),
  ];
}

function isFree(row: Delivery | Task, { mode }: WorkOwner, lease: Lease, early = false): boolean {
  const free = freeAt(row);
  if (row.mode !== mode || free === null || isLeased(row, lease.now)) return false;
  return early || free <= lease.now;
}

function leaseDelivery(db: Connection, row: Delivery, lease: Lease): ClaimedDelivery {
  const delivery = { ...row, ...leaseOf(row, lease) };
  update(db, 'deliveries', deliveryColumns(delivery), { id: row.id });
  return { delivery, event: eventOfDelivery(db, delivery) };
}

function leaseTask(db: Connection, row: Task, lease: Lease): Task {
  const task = { ...row, ...leaseOf(row, lease) };
  update(db, 'tasks', taskColumns(task, lease.now), { id: row.id });
  return task;
}

function recordDelivery(db: Connection, { leaseToken, next, attempt }: DeliveryOutcome): 'recorded' | 'lost' {
  if (!update(db, 'deliveries', deliveryColumns(next), { id: next.id, lease_token: leaseToken })) return 'lost';
  if (attempt !== null) {
    const { number } = attempt;
    const isNew = insert(db, 'delivery_attempts', { delivery_id: next.id, number, row: JSON.stringify(attempt) });
    if (!isNew) throw new Error(`Attempt ${number} of the delivery ${next.id} is already recorded.`);
  }
  const result = endpointResult(next, attempt);
  if (result === null) return 'recorded';
  const before = find<EndpointHealth>(db, 'endpoint_health', ofScope(next)) ?? UNTRIED;
  const health = noteResult(before, result);
  if (health !== before) put(db, 'endpoint_health', ofScope(next), { row: JSON.stringify(health) });
  return 'recorded';
}

interface DueRow {
  readonly id: string;
  readonly free_at: number;
}

function nextDue(db: Connection, mode: Mode, kinds?: readonly WorkKind[]): DueItem | null {
  const delivery = nextDelivery(
    db,
    mode,
    kinds?.filter((kind) => kind !== 'tasks'),
  );
  const [task] =
    kinds === undefined || kinds.includes('tasks')
      ? db.all<DueRow>(
          'select id, free_at from tasks where mode = ? and free_at is not null order by free_at, id limit 1',
          mode,
        )
      : [];
  if (delivery !== null && (task === undefined || isBefore(delivery, task)))
    return { kind: 'delivery', id: delivery.id, mode, dueAt: delivery.free_at };
  return task === undefined ? null : { kind: 'task', id: task.id, mode, dueAt: task.free_at };
}

function sandboxesDue(db: Connection, { ahead, kinds, limit }: SandboxesDue): readonly SandboxDue[] {
  const lanes = kinds ?? [...lanesOf(db), 'tasks' as const];
  const ofLane = `select id, free_at from deliveries
    where mode = 'test' and lane = ? and endpoint = ? and free_at is not null order by free_at, id limit ${limit}`;
  const ofTasks = `select id, free_at from tasks
    where partner_id = ? and mode = 'test' and free_at is not null order by free_at, id limit ${limit}`;
  return [...ahead]
    .flatMap(([partnerId, byMs]) =>
      lanes.flatMap((lane) => {
        const rows =
          lane === 'tasks'
            ? db.all<DueRow>(ofTasks, partnerId)
            : db.all<DueRow>(ofLane, lane, sandboxEndpoint(partnerId, lane));
        const kind = lane === 'tasks' ? ('task' as const) : ('delivery' as const);
        return rows.map(({ id, free_at: dueAt }) => ({
          order: dueAt - byMs,
          item: { kind, id, partnerId, mode: 'test' as const, dueAt },
        }));
      }),
    )
    .toSorted((one, other) => one.order - other.order || (one.item.id < other.item.id ? -1 : 1))
    .slice(0, limit)
    .map(({ item }) => item);
}

/** The lanes of test mode that have anything in them, without the paused one. */
function lanesOf(db: Connection): readonly Lane[] {
  const text = `select distinct lane from queue_heads where mode = 'test' and lane <> '${PAUSED_LANE}'`;
  return db.all<{ lane: Lane }>(text).map(({ lane }) => lane);
}

/** At equal times the lesser id comes first, as in every store. */
function isBefore(one: DueRow, other: DueRow): boolean {
  return one.free_at === other.free_at ? one.id < other.id : one.free_at < other.free_at;
}

/** The next delivery of these lanes, or of all. */
function nextDelivery(db: Connection, mode: Mode, lanes?: readonly string[]): DueRow | null {
  const ofMode = `mode = ? and ${lanes === undefined ? `lane <> '${PAUSED_LANE}'` : `lane in (${lanes.map(() => '?').join(', ')})`}`;
  const values = [mode, ...(lanes ?? [])];
  const text = `select max(free_at) as free_at, min((
      select id from deliveries d where d.mode = h.mode and d.lane = h.lane and d.endpoint = h.endpoint and d.free_at = h.free_at
      order by id limit 1)) as id
    from queue_heads h where ${ofMode} and free_at = (select min(free_at) from queue_heads where ${ofMode})`;
  const [row] = db.all<DueRow | NoRow>(text, ...values, ...values);
  return row === undefined || row.id === null ? null : row;
}

/** The result of a `min` over no rows. */
interface NoRow {
  readonly id: null;
  readonly free_at: null;
}

/** Asserts the presence of a row that the same transaction has just read. */
function known<Row>(row: Row | null): Row {
  if (row === null) throw new Error('An index refers to a row that does not exist.');
  return row;
}
