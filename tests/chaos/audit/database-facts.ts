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

/** What the provider knows of an operation. */
interface Books {
  effects: { kind: string }[];
}

/** Rows as the queries below give them. */
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
  }[];
  attempts: { delivery: string; number: number; started: number; took: number }[];
  intents: IntentRow[];
  parked: { id: string; kind: string }[];
  operations: { operation: string; books: Books }[];
  provider: { line?: number; operation: string; step: string; books: Books }[];
}

/** Everything the laws ask of the database, in one snapshot and in plain rows. */
export async function readDatabase(client: Client): Promise<DatabaseFacts> {
  const rowsOf = async <Name extends keyof DatabaseFacts>(name: Name): Promise<DatabaseFacts[Name]> =>
    // The query of that name selects these very columns.
    (await client.query(QUERIES[name])).rows as DatabaseFacts[Name];
  await client.query('begin isolation level repeatable read read only');
  const facts: DatabaseFacts = {
    clock: await rowsOf('clock'),
    sessions: await rowsOf('sessions'),
    events: await rowsOf('events'),
    deliveries: await rowsOf('deliveries'),
    attempts: await rowsOf('attempts'),
    intents: await rowsOf('intents'),
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
      q.lease_until::float8 as "leaseUntil", coalesce((d.row ->> 'attemptCount')::int, 0) as attempts
    from gateramp.deliveries d left join gateramp.delivery_queue q on q.id = d.id`,
  attempts: `select d.id as delivery, (a ->> 'number')::int as number, (a ->> 'startedAt')::float8 as started, (a ->> 'durationMs')::float8 as took
    from gateramp.deliveries d, unnest(d.attempts) as a`,
  // An intent is driven by its task: one that is done, parked or missing drives nothing.
  intents: `select i.id, i.row ->> 'sessionId' as session, i.row ->> 'status' as status, i.operation_id as operation, i.row ->> 'txRefid' as refid,
      i.row -> 'failure' ->> 'code' as failure,
      exists (select from gateramp.tasks t where t.row ->> 'subjectId' = i.id and t.free_at is not null and t.done_at is null) as "isDriven"
    from gateramp.intents i`,
  parked: `select id, row ->> 'kind' as kind from gateramp.tasks where row ->> 'status' = 'parked'
    union all select id, 'delivery' from gateramp.deliveries where row ->> 'parkedAt' is not null`,
  operations: 'select operation_id as operation, operation as books from gateramp.sandbox_operations',
  provider:
    'select line::int, operation_id as operation, step, operation as books from chaos.provider_log order by line',
};
