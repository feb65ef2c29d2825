import { createHash } from 'node:crypto';
import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { asOutage, explained } from './errors.js';

/** What runs statements: a pool, or the client of a transaction that is not ours. */
export interface Database {
  query<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

interface DatabaseOptions {
  /** A client gives up on a statement after this long; the answer is then unknown. */
  readonly queryTimeoutMs: number;
  /** Named statements spare the server a plan each time; a proxy that does not know them answers with an error. */
  readonly preparedStatements: boolean;
}

interface PooledDatabase extends Database {
  /** The statement as this database sends it, for a connection of the caller's own choice. */
  readonly statementOf: (statement: Statement) => QueryConfig & { readonly values: unknown[] };
}

/** Statements on whatever connection of the pool is free: no two of them share any state. */
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

/** Gives statements what each of them is sent with. */
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
 * A connection of the caller's own until it is released. One that is lost before its first statement or between two ends no
 * process, as it would without a listener: the next statement fails. Throws what `connect` throws.
 */
export async function borrowed(pool: Pool): Promise<PoolClient> {
  surviveLosses(pool);
  const client = await pool.connect();
  // A wrapped pool may give a connection without an event.
  ignoreErrorsOf(client);
  return client;
}

/**
 * From the moment a connection is assigned, not from when the caller learns of it: what came in the same packet is handled in between,
 * and its end may be part of that.
 */
function surviveLosses(pool: Pool): void {
  if (!pool.listeners('error').includes(ignore)) pool.on('error', ignore);
  if (!pool.listeners('acquire').includes(ignoreErrorsOf)) pool.on('acquire', ignoreErrorsOf);
}

function ignoreErrorsOf(client: PoolClient): void {
  if (!client.listeners('error').includes(ignore)) client.on('error', ignore);
}

/** Statements of the transaction that is open on `client`, one after another. */
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

/** Without a listener, an idle connection that is lost ends the process. The next statement takes another connection. */
function ignore(): void {}

/** Derived from the text: several stores may share a connection, and a name must mean the same to all. */
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

export const DEFAULT_SCHEMA = 'gateramp';

/** Names that need no quoting anywhere, so no SQL of ours can be changed by one. */
const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export function checkSchema(schema: string): string {
  if (NAME.test(schema)) return schema;
  throw new Error(`The schema "${schema}" is not a valid name. Use lower-case letters, digits and underscores.`);
}

/** The very moment of the answer: `now()` would be when its transaction began. */
const READ = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now';

/**
 * What time it is at the database, in epoch milliseconds: the sampler of a `storeClock`. Give it a pool whose
 * connections are not all taken by requests, because waiting for one makes the answer too old to be used.
 */
export function postgresTime(pool: Pick<Pool, 'query'>): () => Promise<number> {
  return async () => {
    const { rows } = await pool.query<{ now: number }>(READ).catch((error: unknown) => {
      throw asOutage(error);
    });
    return rows[0]?.now ?? NaN;
  };
}
