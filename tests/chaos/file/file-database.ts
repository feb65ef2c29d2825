import { createHash } from 'node:crypto';
import Libsql from 'libsql';

import type { DatabaseFacts } from '../audit/database-facts.js';
import type { Run } from '../audit/facts.js';

/** The provider's own log, written by triggers of the file: the engine cannot remove a synced line. */
export const PROVIDER_LOG = `
  create table chaos_provider_log (line integer primary key, operation_id text, step text, operation text);
  create trigger chaos_made after insert on sandbox_operations begin
    insert into chaos_provider_log (operation_id, step, operation) values (new.operation_id, new.operation ->> '$.state.step', new.operation);
  end;
  create trigger chaos_moved after update on sandbox_operations begin
    insert into chaos_provider_log (operation_id, step, operation) values (new.operation_id, new.operation ->> '$.state.step', new.operation);
  end;
`;

/** All rows of the file that the laws check. `now` is when its server last ran. */
export function readFile(path: string, now: number): DatabaseFacts {
  return reading(path, (all) => ({
    clock: [{ now }],
    sessions: all('select id, user_reference as key, status, held_since is not null as isHeld from sessions').map(
      isTrue('isHeld'),
    ),
    events: all('select id, session_id as session, sequence, type, body from events').map(({ body, ...event }) => ({
      ...event,
      sha: createHash('sha256').update(String(body)).digest('hex'),
    })),
    deliveries: all(`select id, event_id as event, status, created_at as created, free_at is not null as isQueued,
      lease_until as leaseUntil, row ->> 'attemptCount' as attempts from deliveries`).map(isTrue('isQueued')),
    attempts: all(
      `select delivery_id as delivery, number, row ->> 'startedAt' as started, row ->> 'durationMs' as took from delivery_attempts`,
    ),
    intents: all(`select id, row ->> 'sessionId' as session, row ->> 'status' as status, operation_id as operation,
      row ->> 'txRefid' as refid, row ->> '$.failure.code' as failure,
      exists (select 1 from tasks t where t.row ->> 'subjectId' = intents.id and t.free_at is not null and t.done_at is null) as isDriven
      from intents`).map(isTrue('isDriven')),
    ...NO_OFFICE,
    parked: all(`select id, row ->> 'kind' as kind from tasks where row ->> 'status' = 'parked'
      union all select id, 'delivery' from deliveries where row ->> 'parkedAt' is not null`),
    operations: all('select operation_id as operation, operation as books from sandbox_operations').map(booksOf),
    provider: all(
      'select line, operation_id as operation, step, operation as books from chaos_provider_log order by line',
    ).map(booksOf),
    // Each query selects the columns of its rows.
  })) as unknown as DatabaseFacts;
}

/** Deliveries and tasks that could have been claimed for longer than `forMs`. */
export function overdueInFile(path: string, forMs: number): Run['overdue'] {
  const before = Date.now() - forMs;
  return reading(path, (all) =>
    all(
      `select 'delivery' as what, id, ${Date.now()} - free_at as for_ms from deliveries where free_at < ${before}
       union all select row ->> 'kind', id, ${Date.now()} - free_at from tasks where free_at < ${before}`,
    ),
  ) as unknown as Run['overdue'];
}

/** Runs on a file have no rails payments and no pool trades. */
const NO_OFFICE = { payments: [], changes: [], transactions: [], trades: [], balances: [] };

type Row = Readonly<Record<string, unknown>>;

function reading<Result>(path: string, read: (all: (text: string) => readonly Row[]) => Result): Result {
  const file = new Libsql(path);
  try {
    file.exec('pragma busy_timeout = 5000; begin');
    const result = read((text) => file.prepare(text).all() as readonly Row[]);
    file.exec('commit');
    return result;
  } finally {
    file.close();
  }
}

/** SQLite has no booleans. */
function isTrue(name: string): (row: Row) => Row {
  return (row) => ({ ...row, [name]: row[name] === 1 });
}

function booksOf(row: Row): Row {
  return { ...row, books: JSON.parse(String(row['books'])) as unknown };
}
