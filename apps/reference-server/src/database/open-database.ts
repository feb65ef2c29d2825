import { InstallationFault } from '@gateramp/adapters-store-postgres';
import pg from 'pg';
import type { DatabaseConfig } from '../config.js';
import { StartFault } from '../start-fault.js';

/** The server's connections to Postgres, opened and closed by it. */
export interface OpenDatabase {
  /** For requests and work. */
  readonly pool: pg.Pool;
  /** For readiness and metrics, which must answer while every connection above is taken. */
  readonly opsPool: pg.Pool;
  readonly isBehindProxy: boolean;
  readonly close: () => Promise<void>;
}

/** A statement that takes longer is ended by Postgres: a request has long been given up by then. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** When we give up waiting for its word; Postgres gives up first, so that what it says is heard. */
export const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;
const LOCK_TIMEOUT_MS = 5_000;
/** How long a connection is waited for; with all of them busy a quick 503 is better than a queue. */
const CONNECT_TIMEOUT_MS = 5_000;
export const OPS_TIMEOUT_MS = 2_000;
const OPS_CONNECTIONS = 2;

export function openDatabase(config: DatabaseConfig, name: string, onError: (error: unknown) => void): OpenDatabase {
  const pool = openPool(config, {
    application_name: name,
    max: config.connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...limits(config, { statement_timeout: STATEMENT_TIMEOUT_MS, lock_timeout: LOCK_TIMEOUT_MS }),
  });
  const opsPool = openPool(config, {
    application_name: `${name} ops`,
    max: OPS_CONNECTIONS,
    connectionTimeoutMillis: OPS_TIMEOUT_MS,
    query_timeout: OPS_TIMEOUT_MS,
    ...limits(config, { statement_timeout: OPS_TIMEOUT_MS }),
  });
  // Without a listener an idle connection that is lost ends the process.
  for (const one of [pool, opsPool]) one.on('error', onError);
  return {
    pool,
    opsPool,
    isBehindProxy: config.isBehindProxy,
    close: async () => void (await Promise.all([pool.end(), opsPool.end()])),
  };
}

/** Runs `work` on a connection that waits as long as it takes: making tables and filling them has no time limit. */
export async function withPatientPool<Result>(
  config: DatabaseConfig,
  work: (pool: pg.Pool) => Promise<Result>,
  name = 'gateramp migrate',
): Promise<Result> {
  const pool = openPool(config, {
    application_name: name,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  pool.on('error', () => undefined);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** The error as something an operator can act on. `name` is where the URL was given; neither it nor its password is quoted. */
export function databaseFault(error: unknown, url: string, name = 'DATABASE_URL'): unknown {
  if (error instanceof InstallationFault) return new StartFault([`${name}: ${error.message}`]);
  if (!(error instanceof Error) || error instanceof StartFault) return error;
  const { hostname, port, pathname } = new URL(url);
  const place = `Postgres at ${hostname}:${port === '' ? '5432' : port}`;
  const code = codeOf(error);
  const isAway =
    code === null
      ? 'outage' in error || /timeout|terminated/i.test(error.message)
      : /^(E[A-Z]+|08...|53300|57P0.)$/.test(code);
  if (isAway) return new StartFault([`${name}: ${place} cannot be reached (${code ?? error.message}).`]);
  if (code !== null && /^(28...|3D000|42501)$/.test(code))
    return new StartFault([`${name}: ${place} refuses database "${pathname.slice(1)}": ${error.message}.`]);
  return error;
}

function codeOf(error: Error): string | null {
  // Node gives one error for all addresses of a name; any of them says what is wrong.
  const [inner] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  const source = inner ?? error;
  if (typeof source !== 'object' || source === null || !('code' in source)) return null;
  return typeof source.code === 'string' ? source.code : null;
}

function openPool(config: DatabaseConfig, options: pg.PoolConfig): pg.Pool {
  return new pg.Pool({ connectionString: config.url, keepAlive: true, ...options });
}

/** Sent as a connection opens; behind a proxy that pools by transaction they are settings of the database role instead. */
function limits(config: DatabaseConfig, settings: pg.PoolConfig): pg.PoolConfig {
  return config.isBehindProxy ? {} : { ...settings, idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS };
}
