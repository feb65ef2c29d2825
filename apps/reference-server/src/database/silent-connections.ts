import type { Socket } from 'node:net';
import pg from 'pg';

const LOOK_EVERY_MS = 250;
/** A statement that takes longer is rare enough to ask Postgres what its connection is doing. */
const SUSPICIOUS_AFTER_MS = 1_000;
/** Behind a proxy nothing is known of a connection: no statement takes so long while others are answered at once. */
const SUSPICIOUS_BEHIND_PROXY_MS = 2_000;
const ANSWER_MAX_MS = 1_000;

/** What pg keeps of a connection, beyond its types. */
interface Wire {
  readonly processID: number | null;
  /** False from a statement to the end of its answer. */
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: Socket };
}

/** A connection, and since when it has waited for an answer without a byte of it. */
interface Watched {
  readonly wire: Wire;
  waitingSince: number | null;
  read: number;
  written: number;
}

interface SilenceOptions {
  /** How to open one more connection to the same place. */
  readonly connect: () => pg.ClientConfig;
  readonly isBehindProxy: boolean;
}

/**
 * Replaces connections that have fallen silent: a firewall or a failover that drops packets ends a connection on one side
 * only, and without an error its statements would wait for their whole time limit. A statement that has waited for a second
 * is looked up on a new connection; if Postgres is not working on it, its connection is destroyed, and so are those that were
 * idle meanwhile. A server that answers no new connection either is left to the time limits. Returns a function that ends it.
 */
export function replaceSilentConnections(pool: pg.Pool, options: SilenceOptions): () => void {
  const all = new Map<pg.PoolClient, Watched>();
  pool.on('connect', (client) => {
    // pg has these members on every client and does not declare them.
    const wire = client as unknown as Wire;
    all.set(client, { wire, waitingSince: null, read: 0, written: 0 });
  });
  pool.on('remove', (client) => all.delete(client));
  const patienceMs = options.isBehindProxy ? SUSPICIOUS_BEHIND_PROXY_MS : SUSPICIOUS_AFTER_MS;
  let isAsking = false;
  const look = (): void => {
    const now = performance.now();
    for (const one of all.values()) notice(one, now);
    const suspects = [...all.values()].filter(({ waitingSince: since }) => since !== null && now - since >= patienceMs);
    if (isAsking || suspects.length === 0) return;
    isAsking = true;
    void silentOf(suspects, options)
      .then((silent) => {
        for (const { connection } of silent) connection.stream.destroy(new Error('The connection stopped responding.'));
        if (silent.length > 0) dropIdle(pool);
      })
      .finally(() => (isAsking = false));
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

function notice(one: Watched, now: number): void {
  const { bytesRead, bytesWritten } = one.wire.connection.stream;
  const isUnchanged = bytesRead === one.read && bytesWritten === one.written;
  if (one.wire.readyForQuery) one.waitingSince = null;
  else if (one.waitingSince === null || !isUnchanged) one.waitingSince = now;
  one.read = bytesRead;
  one.written = bytesWritten;
}

/** Those of the suspects that Postgres does nothing for and that have still heard nothing, a moment after it said so. */
async function silentOf(suspects: readonly Watched[], options: SilenceOptions): Promise<readonly Wire[]> {
  const busy = await busyOf(
    suspects.map(({ wire }) => wire.processID ?? 0),
    options,
  );
  if (busy === null) return [];
  const idle = suspects.filter(({ wire }) => !busy.has(wire.processID ?? 0));
  const before = idle.map(({ waitingSince }) => waitingSince);
  await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  return idle
    .filter((one, nth) => one.waitingSince !== null && one.waitingSince === before[nth])
    .map(({ wire }) => wire);
}

/** Server processes that work on a statement; null when Postgres does not answer in time. */
async function busyOf(pids: readonly number[], options: SilenceOptions): Promise<ReadonlySet<number> | null> {
  const client = new pg.Client({
    ...options.connect(),
    application_name: 'gateramp silence check',
    connectionTimeoutMillis: ANSWER_MAX_MS,
    query_timeout: ANSWER_MAX_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(options.isBehindProxy ? ANY_ANSWER : BUSY, [pids]);
    return new Set(rows.map(({ pid }) => pid));
  } catch {
    return null;
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** One that reads from or writes to its client is not at work: the rest of a statement, or of an answer, does not arrive. */
const BUSY = `select pid from pg_stat_activity where pid = any($1::int[])
  and state not in ('idle', 'idle in transaction', 'idle in transaction (aborted)') and wait_event_type is distinct from 'Client'`;
const ANY_ANSWER = 'select 0 as pid from (select $1::int[]) asked where false';

/** Idle connections went the same way, most likely: each would cost a request the same wait. */
function dropIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    pool.connect().then(
      (client) => client.release(true),
      () => undefined,
    );
  }
}
