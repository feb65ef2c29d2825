import type { Scope } from '@gateramp/core';
import type {
  Delivery,
  DeliveryAttempt,
  EndpointHealth,
  GateEvent,
  Instant,
  Intent,
  PageRequest,
  Session,
  Task,
  Transaction,
} from '@gateramp/core/domain';
import {
  type Counters,
  type CountersOfEach,
  type CreatedWithin,
  type DeliveryRecord,
  type Document,
  type EventFilter,
  type Finders,
  type Listers,
  OF_HASH_MAX,
  type SessionFilter,
  type StoreReads,
} from '@gateramp/core/ports';
import { objectIdTime, transactionIdTime } from '@gateramp/core/runtime';
import { asMembers } from './columns.js';
import { readCounter } from './commit-change.js';
import type { Connection, Value } from './connection.js';
import type { SqliteDatabase } from './database.js';
import { othersTurn, SlowPageQueue } from './slow-page-queue.js';
import { DELIVERIES, listPage, SESSIONS, TRANSACTIONS, type Listing } from './listing.js';
import { conditionsOf, pageOf, type Condition } from './page.js';
import { find, ofScope, parsed } from './rows.js';
import { showEvents } from './shown-events.js';

interface RowText {
  readonly row: string;
}

export function reads(database: SqliteDatabase): StoreReads {
  const { connection } = database;
  const byId = <Row>(table: string, scope: Scope, id: string): Row | null =>
    find<Row>(connection(), table, { id, ...ofScope(scope) });
  const slowPages = new SlowPageQueue();
  const rowsOf = (listing: Listing, scope: Scope, at: PageRequest, conditions: readonly Condition[]) =>
    listPage(connection(), slowPages, { listing, scope, page: at, conditions });
  const counted = (listing: Listing, scope: Scope, at: PageRequest, conditions: readonly Condition[]) =>
    listPage(connection(), slowPages, { listing, scope, page: at, conditions, isCount: true });
  const page = async <Row>(
    listing: Listing,
    scope: Scope,
    at: PageRequest,
    conditions: readonly Condition[],
  ): Promise<readonly Row[]> => (await rowsOf(listing, scope, at, conditions)).map((row) => parsed<Row>(row));

  const finders: Finders = {
    session: async (scope, id) => byId<Session>('sessions', scope, id),
    intent: async (scope, id) => byId<Intent>('intents', scope, id),
    intent_by_operation: async (mode, provider, operationId) =>
      find<Intent>(connection(), 'intents', { operation_id: operationId, provider, mode }),
    transaction: async (scope, refid) => byId<Transaction>('transactions', scope, refid),
    document: async (scope, noun, id) => find<Document>(connection(), 'documents', { ...ofScope(scope), noun, id }),
    event: async (scope, id) => eventById(connection(), scope, id),
    delivery: async (scope, id) => {
      const delivery = byId<Delivery>('deliveries', scope, id);
      return delivery === null ? null : recordOf(connection(), delivery);
    },
    endpoint_health: async (scope) => find<EndpointHealth>(connection(), 'endpoint_health', ofScope(scope)),
    task: async (scope, id) => byId<Task>('tasks', scope, id),
  };
  const listers: Listers = {
    session: (scope, filter, at, now) =>
      sessionPage(filter, at, now, (conditions) => page<Session>(SESSIONS, scope, at, conditions)),
    transaction: (scope, filter, at) =>
      page<Transaction>(TRANSACTIONS, scope, at, conditionsOf(filter, transactionIdTime)),
    document: async (scope, noun, filter, at) =>
      pageOf<RowText>(
        connection(),
        { from: 'documents', scope, conditions: [['noun = ?', noun], ...conditionsOf(filter, objectIdTime)] },
        at,
      ).map((row) => parsed<Document>(row)),
    delivery: async (scope, filter, at) =>
      (await page<Delivery>(DELIVERIES, scope, at, conditionsOf(filter, objectIdTime))).map((delivery) =>
        recordOf(connection(), delivery),
      ),
    event: (scope, filter, at) => showEvents(database, scope, at, (db) => eventPage(db, scope, filter, at)),
    session_event: async ({ partnerId, mode }, sessionId) =>
      connection().all<GateEvent>(
        `${SELECT_EVENTS} where session_id = ? and partner_id = ? and mode = ? order by sequence`,
        ...[sessionId, partnerId, mode],
      ),
    transaction_of_hash: async ({ partnerId, mode }, txHash) =>
      connection()
        .all<RowText>(
          `select row from transactions where tx_hash = ? and partner_id = ? and mode = ? order by id desc limit ${OF_HASH_MAX}`,
          ...[txHash.toLowerCase(), partnerId, mode],
        )
        .map((row) => parsed<Transaction>(row)),
  };
  const counters: Counters = {
    // Between the statements a session may expire, and count twice.
    session: async (scope, filter, at, now) => {
      const kinds = sessionKinds(filter, now).map(async (kind) => (await counted(SESSIONS, scope, at, kind)).length);
      return Math.min(
        (await Promise.all(kinds)).reduce((sum, count) => sum + count, 0),
        at.limit + 1,
      );
    },
    delivery: async (scope, filter, at) =>
      (await counted(DELIVERIES, scope, at, conditionsOf(filter, objectIdTime))).length,
  };
  const countersOfEach: CountersOfEach = {
    session: (times, scope, filter, ...rest) =>
      inTurn(times, (bounds) => counters.session(scope, { ...filter, ...bounds }, ...rest)),
    delivery: (times, scope, filter, ...rest) =>
      inTurn(times, (bounds) => counters.delivery(scope, { ...filter, ...bounds }, ...rest)),
  };
  return {
    find: (noun, ...key) => finders[noun](...key),
    list: (noun, ...args) => listers[noun](...args),
    counts: {
      count: (noun, ...args) => counters[noun](...args),
      countEach: (noun, ...args) => countersOfEach[noun](...args),
    },
    // Synchronous and in one transaction, so a commit of another process is visible in all counters or in none.
    readCounters: async (_, names) => inOneRead(connection(), (db) => names.map((name) => readCounter(db, name))),
  };
}

/** Other requests get a turn between two counts, because statements run in the thread that serves them. */
async function inTurn(
  times: readonly CreatedWithin[],
  count: (bounds: CreatedWithin) => Promise<number>,
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const bounds of times) {
    if (counts.length > 0) await othersTurn();
    counts.push(await count(bounds));
  }
  return counts;
}

/** What is stored of the effective status at `now`: overdue sessions that are not held count as expired, but are stored as open. */
function sessionKinds({ status, ...filter }: SessionFilter, now: Instant): readonly (readonly Condition[])[] {
  const others = conditionsOf(filter, objectIdTime);
  if (status === 'open')
    return [[['status = ?', 'open'], ['(held_since is not null or expires_at >= ?)', now], ...others]];
  const stored: readonly Condition[] = [['status = ?', status], ...others];
  if (status !== 'expired') return [stored];
  return [[['status = ?', 'open'], ['held_since is null and expires_at < ?', now], ...others], stored];
}

async function sessionPage(
  filter: SessionFilter,
  at: PageRequest,
  now: Instant,
  list: (conditions: readonly Condition[]) => Promise<readonly Session[]>,
): Promise<readonly Session[]> {
  const [first, second] = sessionKinds(filter, now);
  if (first === undefined) return [];
  if (second === undefined) return list(first);
  // In this order: a session that expires in between is then found as expired, possibly a second time.
  const overdue = await list(first);
  const expired = await list(second);
  const isForward = at.start.kind === 'before';
  return [...overdue.filter(({ id }) => expired.every((one) => one.id !== id)), ...expired]
    .sort((one, other) => (one.id < other.id === isForward ? -1 : 1))
    .slice(0, at.limit + 1);
}

export const EVENT_MEMBERS = [
  'id',
  'partnerId',
  'mode',
  'sessionId',
  'sequence',
  'type',
  'createdAt',
  'body',
] as const satisfies readonly (keyof GateEvent)[];

const SELECT_EVENTS = `select ${asMembers(EVENT_MEMBERS)} from events`;

function eventById(db: Connection, { partnerId, mode }: Scope, id: string): GateEvent | null {
  const text = `${SELECT_EVENTS} where id = ? and partner_id = ? and mode = ?`;
  return db.all<GateEvent>(text, id, partnerId, mode)[0] ?? null;
}

/** Ordered by creation, then by sequence, then by id. */
function eventPage(
  db: Connection,
  scope: Scope,
  filter: EventFilter,
  { start, limit }: PageRequest,
): readonly GateEvent[] {
  // A session has few events, and an index for them: the plus keeps the planner from scanning the whole list for their order.
  const ofScope = filter.sessionId === null ? '' : '+';
  const conditions = [`${ofScope}partner_id = ?`, `${ofScope}mode = ?`];
  const values: Value[] = [scope.partnerId, scope.mode];
  const where = ([text, value]: Condition): void => {
    if (value === null) return;
    conditions.push(text);
    values.push(value);
  };
  conditionsOf(filter, null).forEach(where);
  if (start.kind !== 'newest') {
    const cursor = eventById(db, scope, start.id);
    if (cursor === null) return [];
    conditions.push(`(created_at, place, id) ${start.kind === 'after' ? '<' : '>'} (?, ?, ?)`);
    values.push(cursor.createdAt, cursor.sequence ?? 0, cursor.id);
  }
  const way = start.kind === 'before' ? 'asc' : 'desc';
  const order = `created_at ${way}, place ${way}, id ${way}`;
  const text = `${SELECT_EVENTS} where ${conditions.join(' and ')} order by ${order} limit ${limit + 1}`;
  return db.all<GateEvent>(text, ...values);
}

/** The event of a delivery of any partner. Deliveries are only accepted with their event. */
export function eventOfDelivery(db: Connection, { id, eventId }: Delivery): GateEvent {
  const [event] = db.all<GateEvent>(`${SELECT_EVENTS} where id = ?`, eventId);
  if (event === undefined) throw new Error(`The event of the delivery ${id} is missing.`);
  return event;
}

export function recordOf(db: Connection, delivery: Delivery): DeliveryRecord {
  const text = 'select row from delivery_attempts where delivery_id = ? order by number';
  return { delivery, attempts: db.all<RowText>(text, delivery.id).map((row) => parsed<DeliveryAttempt>(row)) };
}

/** Runs several reads on one snapshot. */
function inOneRead<Result>(db: Connection, read: (db: Connection) => Result): Result {
  db.exec('begin');
  try {
    return read(db);
  } finally {
    db.exec('commit');
  }
}
