import type { Socket } from 'node:net';
import pg from 'pg';

const LOOK_EVERY_MS = 250;
/** Statements that take longer are rare enough to look up the state of their connection in Postgres. */
const SUSPICIOUS_AFTER_MS = 1_000;
/** Behind a proxy the state of a connection is unknown: no statement takes this long while others are answered at once. */
const SUSPICIOUS_BEHIND_PROXY_MS = 2_000;
const ANSWER_MAX_MS = 1_000;

/** Internal members of a pg connection that its types do not declare. */
interface Wire {
  readonly processID: number | null;
  /** False from the start of a statement to the end of its response. */
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: Socket };
}

/** A connection, and the time since which it has waited without receiving a byte. */
interface Watched {
  readonly client: pg.PoolClient;
  readonly wire: Wire;
  waitingSince: number | null;
  read: number;
  written: number;
}

interface SilenceOptions {
  /** Settings for a further connection to the server of `client`. */
  readonly connect: (client: pg.PoolClient) => pg.ClientConfig;
  readonly isBehindProxy: boolean;
}

/**
 * Replaces connections that have become silent. A firewall or failover that drops packets closes a connection on one side only, and without
 * an error its statements would wait for their whole timeout. After a second, a statement is looked up on a new connection; if Postgres is
 * not running it, its connection is destroyed, together with those that were idle meanwhile. If the server accepts no new connection
 * either, the timeouts apply. Returns a function that stops the checks.
 */
export function replaceSilentConnections(pool: pg.Pool, options: SilenceOptions): () => void {
  const all = new Map<pg.PoolClient, Watched>();
  pool.on('connect', (client) => {
    // pg has these members on every client but does not declare them.
    const wire = client as unknown as Wire;
    all.set(client, { client, wire, waitingSince: null, read: 0, written: 0 });
  });
  pool.on('remove', (client) => all.delete(client));
  const patienceMs = options.isBehindProxy ? SUSPICIOUS_BEHIND_PROXY_MS : SUSPICIOUS_AFTER_MS;
  let isAsking = false;
  const check = (): void => {
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
  const timer = setInterval(check, LOOK_EVERY_MS).unref();
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

/** The suspects that Postgres is not working for, and that have still received nothing shortly after it said so. */
async function silentOf(suspects: readonly Watched[], options: SilenceOptions): Promise<readonly Wire[]> {
  // During a failover, connections to two servers exist, whose process ids say nothing about each other.
  const servers = new Map<string, Watched[]>();
  for (const one of suspects) {
    const server = JSON.stringify(options.connect(one.client));
    servers.set(server, [...(servers.get(server) ?? []), one]);
  }
  const silent = await Promise.all([...servers.values()].map((some) => idleOf(some, options)));
  const idle = silent.flat();
  const before = idle.map(({ waitingSince }) => waitingSince);
  await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  return idle
    .filter((one, nth) => one.waitingSince !== null && one.waitingSince === before[nth])
    .map(({ wire }) => wire);
}

/** The suspects of one server that run no statement there; none if Postgres does not respond in time. */
async function idleOf(
  suspects: readonly Watched[],
  { connect, isBehindProxy }: SilenceOptions,
): Promise<readonly Watched[]> {
  const [first] = suspects;
  if (first === undefined) return [];
  const client = new pg.Client({
    ...connect(first.client),
    application_name: 'gateramp silence check',
    connectionTimeoutMillis: ANSWER_MAX_MS,
    query_timeout: ANSWER_MAX_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const pids = suspects.map(({ wire }) => wire.processID ?? 0);
    const { rows } = await client.query<{ pid: number }>(isBehindProxy ? ANY_ANSWER : BUSY, [pids]);
    const busy = new Set(rows.map(({ pid }) => pid));
    return suspects.filter(({ wire }) => !busy.has(wire.processID ?? 0));
  } catch {
    return [];
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** A process that waits to read from or write to its client is not working: the rest of the statement or response is not arriving. */
const BUSY = `select pid from pg_stat_activity where pid = any($1::int[])
  and state not in ('idle', 'idle in transaction', 'idle in transaction (aborted)') and wait_event_type is distinct from 'Client'`;
const ANY_ANSWER = 'select 0 as pid from (select $1::int[]) asked where false';

/** Idle connections have most likely failed as well: each would cost a request the same wait. */
function dropIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    pool.connect().then(
      (client) => client.release(true),
      () => undefined,
    );
  }
}
