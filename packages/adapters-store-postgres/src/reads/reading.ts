import type { Finders, Listers } from '@gateramp/core/ports';
import type { Pool, QueryResultRow } from 'pg';
import { borrowed, type Database, type Statement } from '../database.js';
import { asOutage, codeOf, explained, StoreOutage } from '../errors.js';
import { batchedRowByKey, rowByKey, type RowByKey } from './row-by-key.js';

/** How what partners look at is read: apart from the statements of commits and work, so that it cannot take their connections. */
export interface Reading {
  /** What leads to a few rows. */
  find<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /** The row of a key. */
  readonly rowByKey: RowByKey;
  /** A page of a list. It gets half of the places of reads, and a short time: many lists delay only other lists. */
  list<Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[]>;
}

interface ReadingOptions {
  readonly schema: string;
  /** Connections of the pool that reads never take. */
  readonly keptForCommits: number;
  /** How long a read waits for a place, and then for each word of a server that has fallen silent. */
  readonly waitMs: number;
  /** How long a page waits for its place, and then how long Postgres may take for it. */
  readonly pageTimeoutMs: number;
  /** What a page is sent as: a named statement, or a plain one. */
  readonly statementOf: (statement: Statement) => { readonly text: string; readonly values: unknown[] };
}

/** How a noun is found and listed. */
export interface ReadsOf<Noun extends keyof Finders & keyof Listers> {
  readonly find: Finders[Noun];
  readonly list: Listers[Noun];
}

export function readingFrom(pool: Pool, database: Database, options: ReadingOptions): Reading {
  const places = Math.max(1, pool.options.max - options.keptForCommits);
  const reads = new ConnectionSemaphore({ places, waitMs: options.waitMs });
  const pages = new ConnectionSemaphore({ places: Math.max(1, Math.floor(places / 2)), waitMs: options.pageTimeoutMs });
  const find: Reading['find'] = (text, values) => reads.run(() => database.query(text, values));
  return {
    find,
    rowByKey: batchedRowByKey(find, options.schema),
    list: (statement) => pages.run(() => reads.run(() => pageOf(pool, statement, options))),
  };
}

/** In a transaction that is not ours: its connection is taken already, and its settings are its own. */
export function readingWithin(database: Database, schema: string): Reading {
  const find: Reading['find'] = (text, values) => database.query(text, values);
  return {
    find,
    rowByKey: rowByKey(find, schema),
    list: ({ text, values }) => database.query(text, values),
  };
}

/**
 * In a transaction of its own, because that is what a setting can be bound to through any proxy. The plan is never compiled: what it is
 * estimated to cost has nothing to do with the few rows that it reads.
 */
async function pageOf<Row extends QueryResultRow>(
  pool: Pool,
  statement: Statement,
  { pageTimeoutMs, waitMs, statementOf }: ReadingOptions,
): Promise<readonly Row[]> {
  const client = await borrowed(pool).catch((error: unknown) => {
    throw asOutage(error);
  });
  // Each has its limit here too: of a server that has fallen silent, Postgres's own is never heard, and the place would be lost for good.
  const limited = { query_timeout: waitMs };
  const say = (text: string): Promise<unknown> => client.query({ text, ...limited });
  try {
    await say(`begin read only; set local statement_timeout = ${pageTimeoutMs}; set local jit = off`);
    const { rows } = await client.query<Row>(statementOf(statement));
    await say('commit');
    client.release();
    return rows;
  } catch (error) {
    const isEnded =
      codeOf(error) !== null &&
      (await say('rollback').then(
        () => true,
        () => false,
      ));
    // A connection in an unknown state is not reused.
    client.release(!isEnded);
    throw explained(error);
  }
}

interface ConnectionSemaphoreOptions {
  /** How many may be under way at once. */
  readonly places: number;
  /** How long the others wait for a place; then it is an outage. */
  readonly waitMs: number;
}

/** A part of the connections, for work of one kind. Without a free place, callers wait in line. */
class ConnectionSemaphore {
  private readonly options: ConnectionSemaphoreOptions;
  private readonly line = new Set<() => void>();
  private taken = 0;

  constructor(options: ConnectionSemaphoreOptions) {
    this.options = options;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.taken < this.options.places) this.taken += 1;
    else await this.aPlace();
    try {
      return await work();
    } finally {
      this.passOn();
    }
  }

  private aPlace(): Promise<void> {
    return new Promise((resolve, reject) => {
      const given = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.line.delete(given);
        reject(
          new StoreOutage(
            new Error(`all ${this.options.places} places for reads were taken for ${this.options.waitMs} ms`),
          ),
        );
      }, this.options.waitMs);
      this.line.add(given);
    });
  }

  /** To the first in line, or back. */
  private passOn(): void {
    const [next] = this.line;
    if (next === undefined) this.taken -= 1;
    else {
      this.line.delete(next);
      next();
    }
  }
}
