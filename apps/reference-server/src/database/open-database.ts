import { InstallationError } from '@gateramp/adapters-store-postgres';
import type pg from 'pg';
import type { DatabaseConfig } from '../config/config.js';
import { StartError } from '../start-error.js';
import { databaseHosts, HostChoice, HostPool, ReadOnlyHost, refuseReadOnly, type DatabaseHosts } from './hosts.js';
import { replaceSilentConnections } from './silent-connections.js';

/** The server's connections to Postgres. */
export interface OpenDatabase {
  /** For requests and work. */
  readonly pool: pg.Pool;
  /** For readiness and metrics, which must respond while all connections of `pool` are in use. */
  readonly opsPool: pg.Pool;
  readonly opsTimeoutMs: number;
  readonly isBehindProxy: boolean;
  readonly isDistributed: boolean;
  /** `check` is called with each new connection of `pool`; a connection that it rejects is not used. */
  readonly verifyConnections: (check: (client: pg.PoolClient) => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

/** Postgres cancels longer statements: the request has long timed out by then. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** The client-side timeout. Longer than that of Postgres, so that its error is received. */
export const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;
const LOCK_TIMEOUT_MS = 5_000;
/** The maximum wait for a connection: with all of them busy, a quick 503 is better than a queue. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Short, so that operators' reads fail fast while the database is overloaded. */
const OPS_TIMEOUT_MS = 2_000;
const OPS_CONNECTIONS = 2;
/** One connection holds the migration lock while the other builds an index. */
const PATIENT_CONNECTIONS = 2;

export function openDatabase(config: DatabaseConfig, name: string, onError: (error: unknown) => void): OpenDatabase {
  const choice = choiceOf(config);
  let check: (client: pg.PoolClient) => Promise<void> = () => Promise.resolve();
  const pool = openPool(
    config,
    {
      application_name: name,
      max: config.connectionsMax,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...limits(config, { statement_timeout: STATEMENT_TIMEOUT_MS, lock_timeout: LOCK_TIMEOUT_MS }),
    },
    { check: (client) => check(client), choice },
  );
  const { opsTimeoutMs = OPS_TIMEOUT_MS } = config;
  const opsPool = openPool(
    config,
    {
      application_name: `${name} ops`,
      max: OPS_CONNECTIONS,
      connectionTimeoutMillis: opsTimeoutMs,
      query_timeout: opsTimeoutMs,
      ...limits(config, { statement_timeout: opsTimeoutMs }),
    },
    { choice },
  );
  const stopReplacing = replaceSilentConnections(pool, {
    connect: (client) => connectionOf(choice.urlOf(client)),
    isBehindProxy: config.isBehindProxy,
  });
  // Without a listener, the loss of an idle connection ends the process.
  for (const one of [pool, opsPool]) one.on('error', onError);
  return {
    pool,
    opsPool,
    opsTimeoutMs,
    isBehindProxy: config.isBehindProxy,
    isDistributed: config.isDistributed,
    verifyConnections: (next) => (check = next),
    close: async () => {
      stopReplacing();
      await Promise.all([pool.end(), opsPool.end()]);
    },
  };
}

/** Runs `work` on connections without statement timeouts: creating and filling tables has no time limit. */
export async function withPatientPool<Result>(
  config: DatabaseConfig,
  work: (pool: pg.Pool) => Promise<Result>,
  name = 'gateramp migrate',
): Promise<Result> {
  const pool = openPool(config, {
    application_name: name,
    max: PATIENT_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  pool.on('error', () => undefined);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/**
 * Converts an error into one that an operator can act on. `name` is the setting that contains the URL;
 * the URL and its password are not quoted.
 */
export function databaseError(error: unknown, url: string, name = 'DATABASE_URL'): unknown {
  if (error instanceof InstallationError) return new StartError([`${name}: ${error.message}`]);
  if (!(error instanceof Error) || error instanceof StartError) return error;
  const { places, database } = hostsOf({ url });
  const place = `Postgres at ${places}`;
  const words = tlsAdvice(error) ?? poolerAdvice(error);
  if (words !== null) return new StartError([`${name}: ${place} ${words}`]);
  // A host that is passed over because it is read-only says so in words.
  const code = error instanceof ReadOnlyHost ? null : codeOf(error);
  const isAway =
    code === null
      ? 'outage' in error || /timeout|terminated/i.test(error.message)
      : /^(E[A-Z]+|08...|53300|57P0.)$/.test(code);
  if (isAway) return new StartError([`${name}: ${place} cannot be reached (${code ?? error.message}).`]);
  if (code !== null && /^(28...|3D000|42501)$/.test(code))
    return new StartError([`${name}: ${place} refuses database "${database}": ${error.message}.`]);
  return error;
}

/** Describes a TLS problem and its fix; null for other errors. */
function tlsAdvice(error: Error): string | null {
  const inner = error.cause instanceof Error ? error.cause : error;
  const code = codeOf(inner) ?? '';
  if (/does not support SSL/i.test(inner.message))
    return 'does not offer TLS, but sslmode requires it. Enable ssl on the server, or use sslmode=disable where the network is trusted.';
  if (/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return `presents a certificate that is not signed by a known authority (${code}). Pass the certificate of the authority: sslmode=verify-full&sslrootcert=/path/to/ca.pem.`;
  if (code === 'CERT_HAS_EXPIRED') return 'presents an expired certificate. Renew it on the server.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'presents a certificate for a different host name. Use the name of the certificate in the URL, or sslmode=verify-ca.';
  if (code === '28000' && /no encryption/.test(inner.message))
    return 'accepts encrypted connections only. Add sslmode=verify-full, or sslmode=require, to the URL.';
  return null;
}

/** PgBouncer and similar proxies refuse the startup parameters of a connection. */
function poolerAdvice(error: Error): string | null {
  if (!/unsupported startup parameter/.test(error.message)) return null;
  return (
    'is a proxy that refuses startup parameters. If it pools by transaction, set GATE_DATABASE_PROXY=on; if it pools by session, add ' +
    '"ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout" to its settings.'
  );
}

function codeOf(error: Error): string | null {
  // Node reports one error for all addresses of a name; any of them identifies the problem.
  const [inner] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  const source = inner ?? error;
  if (typeof source !== 'object' || source === null || !('code' in source)) return null;
  return typeof source.code === 'string' ? source.code : null;
}

type Check = (client: pg.PoolClient) => Promise<void>;

const NO_CHECK: Check = () => Promise.resolve();

/** `check` is called with each new connection before it is used. With several hosts, an unusable one is skipped. */
function openPool(
  config: DatabaseConfig,
  options: pg.PoolConfig,
  { check = NO_CHECK, choice = choiceOf(config) } = {},
): pg.Pool {
  const { needsWrites } = hostsOf(config);
  return new HostPool(
    {
      ...connectionOf(choice.url),
      ...options,
      verify: (client, done) => {
        const checked = needsWrites ? refuseReadOnly(client, choice).then(() => check(client)) : check(client);
        checked.then(
          () => done(),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        );
      },
    },
    choice,
  );
}

function hostsOf({ url }: Pick<DatabaseConfig, 'url'>): DatabaseHosts {
  return databaseHosts(url) ?? { urls: [url], needsWrites: false, places: 'the given address', database: '' };
}

function choiceOf(config: DatabaseConfig): HostChoice {
  return new HostChoice(hostsOf(config).urls);
}

function connectionOf(url: string): pg.ClientConfig {
  return { connectionString: url, keepAlive: true };
}

/** Sent when a connection opens; behind a transaction-pooling proxy they are settings of the database role instead. */
function limits(config: DatabaseConfig, settings: pg.PoolConfig): pg.PoolConfig {
  return config.isBehindProxy ? {} : { ...settings, idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS };
}
