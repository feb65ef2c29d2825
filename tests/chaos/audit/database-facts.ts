import type { Client } from 'pg';

export interface EventRow {
  id: string;
  session: string;
  sequence: number;
  type: string;
  sha: string;
}

export interface IntentRow {
  id: string;
  session: string;
  status: string;
  operation: string;
  refid: string;
  failure: string | null;
  isDriven: boolean;
}

/** What the provider knows about an operation; a planned effect has not happened yet. */
interface Books {
  effects: { kind: string; amount: string; currency: string; at: number }[];
}

/** A pay-in or pay-out. */
export interface PaymentRow {
  id: string;
  key: string | null;
  quote: string;
  status: string;
  refid: string;
  source: Money;
  destination: Money;
}

export interface Money {
  amount: string;
  currency: string;
}

export interface TradeRow {
  id: string;
  pool: string;
  quote: string;
  status: string;
  operation: string;
  in: Money;
  out: Money;
  isDriven: boolean;
}

/** Rows of the queries below. */
export interface DatabaseFacts {
  clock: { now: number }[];
  sessions: { id: string; key: string | null; status: string; isHeld: boolean }[];
  events: EventRow[];
  deliveries: {
    id: string;
    event: string;
    status: string;
    created: number;
    isQueued: boolean;
    leaseUntil: number | null;
    attempts: number;
    /** In total, and the number of replays. */
    attemptsTotal: number;
    replays: number;
  }[];
  attempts: { delivery: string; number: number; trigger: string; started: number; took: number }[];
  intents: IntentRow[];
  payments: PaymentRow[];
  /** Statuses of payments that events announce. */
  changes: { payment: string; status: string }[];
  /** Of payments over rails. */
  transactions: { refid: string; status: string }[];
  trades: TradeRow[];
  /** Parts of pools' balances. */
  balances: { name: string; value: string }[];
  parked: { id: string; kind: string }[];
  operations: { operation: string; books: Books }[];
  provider: { line?: number; operation: string; step: string; books: Books }[];
}

/** All rows of the database that the laws check, from one snapshot. */
export async function readDatabase(client: Client): Promise<DatabaseFacts> {
  const rowsOf = async <Name extends keyof DatabaseFacts>(name: Name): Promise<DatabaseFacts[Name]> =>
    // The query of that name selects these columns.
    (await client.query(QUERIES[name])).rows as DatabaseFacts[Name];
  await client.query('begin isolation level repeatable read read only');
  const facts: DatabaseFacts = {
    clock: await rowsOf('clock'),
    sessions: await rowsOf('sessions'),
    events: await rowsOf('events'),
    deliveries: await rowsOf('deliveries'),
    attempts: await rowsOf('attempts'),
    intents: await rowsOf('intents'),
    payments: await rowsOf('payments'),
    changes: await rowsOf('changes'),
    transactions: await rowsOf('transactions'),
    trades: await rowsOf('trades'),
    balances: await rowsOf('balances'),
    parked: await rowsOf('parked'),
    operations: await rowsOf('operations'),
    provider: await rowsOf('provider'),
  };
  await client.query('commit');
  return facts;
}

const QUERIES: Readonly<Record<keyof DatabaseFacts, string>> = {
  clock: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  sessions: 'select id, user_reference as key, status, is_held as "isHeld" from gateramp.sessions',
  events: `select id, session_id as session, sequence, type, encode(sha256(convert_to(body, 'UTF8')), 'hex') as sha from gateramp.events`,
  deliveries: `select d.id, d.event_id as event, d.status, d.created_at::float8 as created, q.id is not null as "isQueued",
      q.lease_until::float8 as "leaseUntil", coalesce((d.row ->> 'attemptCount')::int, 0) as attempts,
      coalesce((d.row ->> 'attemptsTotal')::int, 0) as "attemptsTotal", coalesce((d.row ->> 'replayCount')::int, 0) as replays
    from gateramp.deliveries d left join gateramp.delivery_queue q on q.id = d.id`,
  attempts: `select d.id as delivery, (a ->> 'number')::int as number, a ->> 'trigger' as trigger, (a ->> 'startedAt')::float8 as started, (a ->> 'durationMs')::float8 as took
    from gateramp.deliveries d, unnest(d.attempts) as a`,
  // A task continues an intent, unless it is done, parked or missing.
  intents: `select i.id, i.row ->> 'sessionId' as session, i.row ->> 'status' as status, i.operation_id as operation, i.row ->> 'txRefid' as refid,
      i.row -> 'failure' ->> 'code' as failure,
      exists (select from gateramp.tasks t where t.row ->> 'subjectId' = i.id and t.free_at is not null and t.done_at is null) as "isDriven"
    from gateramp.intents i`,
  payments: `select id, body::json ->> 'userReference' as key, body::json ->> 'quoteId' as quote, body::json ->> 'status' as status,
      body::json ->> 'txRefid' as refid, body::json -> 'source' as source, body::json -> 'destination' as destination
    from gateramp.documents where noun in ('pay_in', 'pay_out')`,
  changes: `select body::json #>> '{data,id}' as payment, body::json #>> '{data,status}' as status
    from gateramp.events where type in ('pay_in.updated', 'pay_out.updated')`,
  transactions: `select id as refid, status from gateramp.transactions where session_id is null`,
  trades: `select d.id, body::json ->> 'poolId' as pool, body::json ->> 'quoteId' as quote, body::json ->> 'status' as status,
      body::json ->> 'operationId' as operation,
      json_build_object('amount', body::json ->> 'amountIn', 'currency', body::json ->> 'currencyIn') as in,
      json_build_object('amount', body::json ->> 'amountOut', 'currency', body::json ->> 'currencyOut') as out,
      exists (select from gateramp.tasks t where t.row ->> 'subjectId' = d.id and t.free_at is not null and t.done_at is null) as "isDriven"
    from gateramp.documents d where noun = 'pool_trade'`,
  balances: `select name, value::text from gateramp.counters where name like 'pool/%'`,
  parked: `select id, row ->> 'kind' as kind from gateramp.tasks where row ->> 'status' = 'parked'
    union all select id, 'delivery' from gateramp.deliveries where row ->> 'parkedAt' is not null`,
  operations: 'select operation_id as operation, operation as books from gateramp.sandbox_operations',
  provider:
    'select line::int, operation_id as operation, step, operation as books from chaos.provider_log order by line',
};
