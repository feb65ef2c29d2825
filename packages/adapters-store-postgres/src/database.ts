import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { asOutage } from './outage.js';

/** What runs statements: a pool, or the client of a transaction that is not ours. */
export interface Database {
  query<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

export interface DatabaseOptions {
  /** A client gives up on a statement after this long; the answer is then unknown. */
  readonly queryTimeoutMs: number;
  /** Named statements spare the server a plan each time; a proxy that does not know them answers with an error. */
  readonly preparedStatements: boolean;
}

/** Statements on whatever connection of the pool is free: no two of them share any state. */
export function pooled(pool: Pool, options: DatabaseOptions): Database {
  if (!pool.listeners('error').includes(ignore)) pool.on('error', ignore);
  const names = new Map<string, string>();
  return {
    async query<Row extends QueryResultRow>(text: string, values: readonly unknown[]) {
      const statement = { text, values: [...values], query_timeout: options.queryTimeoutMs };
      try {
        const named = options.preparedStatements ? { ...statement, name: nameOf(names, text) } : statement;
        return (await pool.query<Row>(named)).rows;
      } catch (error) {
        throw asOutage(error);
      }
    },
  };
}

/** Statements of the transaction that is open on `client`, one after another. */
export function withinTransaction(client: Pick<PoolClient, 'query'>): Database {
  return {
    async query<Row extends QueryResultRow>(text: string, values: readonly unknown[]) {
      try {
        return (await client.query<Row>(text, [...values])).rows;
      } catch (error) {
        throw asOutage(error);
      }
    },
  };
}

/** Without a listener, an idle connection that is lost ends the process. The next statement takes another connection. */
function ignore(): void {}

function nameOf(names: Map<string, string>, text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `gateramp_${names.size + 1}`;
  names.set(text, name);
  return name;
}
