import type { ReceivedEvents, TransactionalEvents } from '@gateramp/sdk-node';
import type pg from 'pg';

/** The table of handled webhooks. Rows may be deleted a day after they were written. */
export const EVENT_TABLES = `
  create table if not exists handled_events (id text primary key, session_id text, sequence integer, handled_at timestamptz not null default now());
  create index if not exists handled_events_of_session on handled_events (session_id, sequence);
  create table if not exists event_claims (id text primary key, token text not null, lease_ends_at timestamptz not null);`;

const LAST_SEQUENCE = 'select max(sequence) as last from handled_events where session_id = $1';
const RECORD = 'insert into handled_events (id, session_id, sequence) values ($1, $2, $3) on conflict do nothing';

/** For a handler that writes to the same database: its writes and the record are one transaction. */
export const transactionalEvents = (pool: pg.Pool): TransactionalEvents<pg.PoolClient> => ({
  transaction: (work) => inTransaction(pool, work),
  record: async ({ id, sessionId, sequence }, client) => {
    // Serializes the events of a session, so that two of them cannot miss each other when they read the last sequence.
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [sessionId ?? id]);
    const { rows } = await client.query<{ last: number | null }>(LAST_SEQUENCE, [sessionId]);
    const { rowCount } = await client.query(RECORD, [id, sessionId, sequence]);
    return { isNew: rowCount === 1, lastSequence: rows[0]?.last ?? null };
  },
});

/** For a handler with external effects, such as an e-mail: a lease ensures that one process handles an event at a time. */
export const leasedEvents = (pool: pg.Pool): ReceivedEvents => ({
  claim: async ({ id, sessionId }, { token, seconds }) => {
    const { rowCount } = await pool.query(
      `insert into event_claims (id, token, lease_ends_at) values ($1, $2, clock_timestamp() + make_interval(secs => $3))
       on conflict (id) do update set token = excluded.token, lease_ends_at = excluded.lease_ends_at
       where event_claims.lease_ends_at <= clock_timestamp()`,
      [id, token, seconds],
    );
    const handled = await pool.query('select 1 from handled_events where id = $1', [id]);
    if (handled.rowCount === 1) {
      await release(pool, id, token); // this claim began while the previous one was being completed
      return { status: 'handled' };
    }
    if (rowCount !== 1) return { status: 'in_progress' };
    const { rows } = await pool.query<{ last: number | null }>(LAST_SEQUENCE, [sessionId]);
    return { status: 'claimed', lastSequence: rows[0]?.last ?? null };
  },
  complete: ({ id, sessionId, sequence }, token) =>
    inTransaction(pool, async (client) => {
      if ((await release(client, id, token)).rowCount !== 1) return false;
      await client.query(RECORD, [id, sessionId, sequence]);
      return true;
    }),
  release: async ({ id }, token) => void (await release(pool, id, token)),
});

const release = (on: pg.Pool | pg.PoolClient, id: string, token: string): Promise<pg.QueryResult> =>
  on.query('delete from event_claims where id = $1 and token = $2', [id, token]);

async function inTransaction<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    // A delivery times out after ten seconds; one that waits for another process gives up earlier, and is repeated.
    await client.query(`set local lock_timeout = '8s'`);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true); // closing the connection rolls back
    throw error;
  }
}
