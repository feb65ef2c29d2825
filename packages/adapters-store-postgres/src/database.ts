import { createHash } from 'node:crypto';
import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { asOutage, explained } from './errors.js';

/** Runs statements: on a pool, or on the client of the caller's transaction. */
export interface Database {
  query<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

interface DatabaseOptions {
  /** A client gives up on a statement after this time; its effect is then unknown. */
  readonly queryTimeoutMs: number;
  /** Named statements save the server from planning each time; proxies without support for them answer with an error. */
  readonly preparedStatements: boolean;
}

interface PooledDatabase extends Database {
  /** The statement as this database sends it, for a connection that the caller chooses. */
  readonly statementOf: (statement: Statement) => QueryConfig & { readonly values: unknown[] };
}

/** Runs each statement on any free connection of the pool: statements share no session state. */
export function pooled(pool: Pool, options: DatabaseOptions): PooledDatabase {
  surviveLosses(pool);
  const statementOf = statements(options);
  return {
    statementOf,
    async query<Row extends QueryResultRow>(text: string, values: readonly unknown[]) {
      try {
        return (await pool.query<Row>(statementOf({ text, values }))).rows;
      } catch (error) {
        throw explained(error);
      }
    },
  };
}

/** Adds the timeout and, if enabled, the name to a statement. */
function statements({
  queryTimeoutMs,
  preparedStatements,
}: DatabaseOptions): (statement: Statement) => QueryConfig & { readonly values: unknown[] } {
  const names = new Map<string, string>();
  return ({ text, values }) => {
    const statement = { text, values: [...values], query_timeout: queryTimeoutMs };
    return preparedStatements ? { ...statement, name: nameOf(names, text) } : statement;
  };
}

/**
 * Takes a connection until the caller releases it. If the connection is lost before or between statements, the next statement fails;
 * without an error listener the process would end. Throws the errors of `connect`.
 */
export async function borrowed(pool: Pool): Promise<PoolClient> {
  surviveLosses(pool);
  const client = await pool.connect();
  // A wrapped pool may return a connection without emitting an event.
  ignoreErrorsOf(client);
  return client;
}

/**
 * Listens from the moment the pool assigns a connection, not when the caller receives it: data of the same packet is processed in between,
 * and may include the end of the connection.
 */
function surviveLosses(pool: Pool): void {
  if (!pool.listeners('error').includes(ignore)) pool.on('error', ignore);
  if (!pool.listeners('acquire').includes(ignoreErrorsOf)) pool.on('acquire', ignoreErrorsOf);
}

function ignoreErrorsOf(client: PoolClient): void {
  if (!client.listeners('error').includes(ignore)) client.on('error', ignore);
}

/** Runs statements in the transaction that is open on `client`, one after another. */
export function withinTransaction(client: Pick<PoolClient, 'query'>): Database {
  return {
    async query<Row extends QueryResultRow>(text: string, values: readonly unknown[]) {
      try {
        return (await client.query<Row>(text, [...values])).rows;
      } catch (error) {
        throw explained(error);
      }
    },
  };
}

/** Without an error listener, the loss of an idle connection ends the process. The next statement uses another connection. */
function ignore(): void {}

/** Derived from the text: several stores may share a connection, so a name must identify the same statement for all of them. */
function nameOf(names: Map<string, string>, text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `gateramp_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
  names.set(text, name);
  return name;
}

/** A statement and the values of its placeholders. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The schema of an installation that names none. */
export const DEFAULT_SCHEMA = 'gateramp';

/** Names that need no quoting, so that a schema name cannot change a statement. */
const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Returns the name of a schema. Throws if it would have to be quoted. */
export function checkSchema(schema: string): string {
  if (NAME.test(schema)) return schema;
  throw new Error(`The schema "${schema}" is not a valid name. Use lower-case letters, digits and underscores.`);
}

/** The time of the answer: `now()` would be the start of its transaction. */
const READ = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now';

/**
 * Returns the database's time in epoch milliseconds, as the sampler of a `storeClock`. Pass a pool that keeps connections free for it:
 * waiting for a connection makes the sample too old to be used.
 */
export function postgresTime(pool: Pick<Pool, 'query'>): () => Promise<number> {
  return async () => {
    const { rows } = await pool.query<{ now: number }>(READ).catch((error: unknown) => {
      throw asOutage(error);
    });
    return rows[0]?.now ?? NaN;
  };
}
