import type { Instant } from '@gateramp/core/domain';
import type { Finders, Listers } from '@gateramp/core/ports';
import type { Pool, QueryResultRow } from 'pg';
import { borrowed, type Database, type Statement } from '../database.js';
import { asOutage, codeOf, explained, isStatementTimeout, StoreOutage } from '../errors.js';
import type { PartitionRange } from '../partitions/layout.js';
import type { PartitionedTable } from '../partitions/tables.js';
import { batchedRowByKey, rowByKey, type RowByKey } from './row-by-key.js';
import { hasNoneAfter, type RangesOf, rememberedRanges, type Span, spanAt, type SpanBounds, spansOf } from './spans.js';

/** Reads for API requests: separate from the statements of commits and workers, so that they cannot take their connections. */
export interface Reading {
  /** Queries that return a few rows. */
  find<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /** The tables are distributed, so a statement reads rows of one partner and names it in the collation of the column. */
  readonly isDistributed: boolean;
  /** Whether a list can wait for commits of others: not in a transaction of the host, and not yet on distributed tables. */
  readonly waitsForCommits: boolean;
  /** The partitions of a table, as they were up to a minute ago. */
  readonly rangesOf: RangesOf;
  /** The row of a key. */
  readonly rowByKey: RowByKey;
  /** A page of a list. Lists get half of the connections of reads, and a short time: many lists delay only other lists. */
  list<Row extends QueryResultRow>(statement: Statement): Promise<readonly Row[]>;
  /** A page of a list that is read span by span if the table is partitioned. */
  listBySpans<Row extends QueryResultRow>(table: PartitionedTable, page: SpannedPage): Promise<readonly Row[]>;
}

/** Runs a statement of a page. */
type Ask = <Row extends QueryResultRow>(statement: Statement) => Promise<readonly Row[]>;

/** A page as one statement, or as one for each span until it is full. */
interface SpannedPage {
  readonly limit: number;
  /** `null`: the table is not partitioned. */
  readonly statementIn: (span: Span | null) => Statement;
  /** When the row of the cursor was probably created. That partition is tried first, with a statement that is empty if it was not. */
  readonly probableStart?: Instant | null;
  /** Asked for if the table is partitioned. `null`: one statement searches all partitions. */
  readonly bounds: (ask: Ask) => Promise<SpanBounds | null>;
  /** The number of rows of the page that these rows count, if each counts several. */
  readonly sumOf?: (rows: readonly QueryResultRow[]) => number;
}

interface ReadingOptions extends PageOptions {
  readonly schema: string;
  readonly isDistributed: boolean;
  /** Connections of the pool that reads never take. */
  readonly keptForCommits: number;
}

interface PageOptions {
  /** The time that a read waits for a connection, and then for each response of a server that has stopped responding. */
  readonly waitMs: number;
  /** The time that a page waits for its connection, and then the time that Postgres may take for it. */
  readonly pageTimeoutMs: number;
  /** Whether Postgres keeps the plans of statements. */
  readonly keepsPlans: boolean;
  /** Settings of the planner, for the page alone. */
  readonly planning?: string;
  /** Converts a page's statement to the form that is sent: named or plain. */
  readonly statementOf: (statement: Statement) => { readonly text: string; readonly values: unknown[] };
}

/** What is read of a page: `as` derives the statement from that of the page, and `sumOf` counts its rows for a page by spans. */
export interface PageForm extends Pick<SpannedPage, 'sumOf'> {
  readonly as: (statement: Statement) => Statement;
  /** Whether the page is read for each of several times, by `PageQuery.withinEach`. */
  readonly isForEach?: boolean;
}

/** The number of rows of a page: Postgres reads only what selects and orders them, and sends one row. */
export const COUNTED: PageForm = {
  as: ({ text, values }) => ({ text: `select count(*)::int as count from (${text}) page`, values }),
  sumOf: sumOfCounts,
};

/** The sum of what the `COUNTED` statement of each span returned. */
export function sumOfCounts(rows: readonly QueryResultRow[]): number {
  return rows.reduce((sum, { count }) => sum + Number(count), 0);
}

/** How rows of a noun are found and listed. */
export interface ReadsOf<Noun extends keyof Finders & keyof Listers> {
  readonly find: Finders[Noun];
  readonly list: Listers[Noun];
}

export function readingFrom(pool: Pool, database: Database, options: ReadingOptions): Reading {
  const places = Math.max(1, pool.options.max - options.keptForCommits);
  const reads = new ConnectionSemaphore({ places, waitMs: options.waitMs });
  const pages = new ConnectionSemaphore({ places: Math.max(1, Math.floor(places / 2)), waitMs: options.pageTimeoutMs });
  const find: Reading['find'] = (text, values) => reads.run(() => database.query(text, values));
  const { schema, isDistributed } = options;
  const remembered = rememberedRanges({ query: find }, schema);
  const rangesOf: RangesOf = async (table) => (isDistributed ? null : remembered.rangesOf(table));
  const inPage = <Value>(read: (ask: Ask) => Promise<Value>): Promise<Value> =>
    pages.run(() => reads.run(() => readPage(pool, read, options)));
  return {
    find,
    isDistributed,
    waitsForCommits: !isDistributed,
    rangesOf,
    rowByKey: isDistributed ? rowByKey(find, schema) : batchedRowByKey(find, rangesOf, schema),
    list: (statement) => inPage((ask) => ask(statement)),
    async listBySpans(table, page) {
      const ranges = await rangesOf(table);
      try {
        return await inPage((ask) => pageBySpans(ask, { table, ranges, schema }, page));
      } catch (error) {
        if (isStatementTimeout(error)) remembered.forget();
        throw error;
      }
    },
  };
}

async function pageBySpans<Row extends QueryResultRow>(
  ask: Ask,
  {
    table,
    ranges,
    schema,
  }: {
    readonly table: PartitionedTable;
    readonly ranges: readonly PartitionRange[] | null;
    readonly schema: string;
  },
  { limit, statementIn, probableStart = null, bounds, sumOf }: SpannedPage,
): Promise<readonly Row[]> {
  if (ranges === null) return ask<Row>(statementIn(null));
  const sizeOf = sumOf ?? ((rows: readonly Row[]) => rows.length);
  const probable = probableStart === null ? null : spanAt(table, ranges, probableStart);
  if (probable !== null) {
    const rows = await ask<Row>(statementIn(probable));
    if (sizeOf(rows) >= limit) return rows;
  }
  const known = await bounds(ask);
  if (known === null) return ask<Row>(statementIn(null));
  let found: readonly Row[] = [];
  for (const span of spansOf(table, ranges, known)) {
    const { text, values } = statementIn(span);
    const rows = await ask<Row>({
      text: span.isTentative ? `select * from (${text}) page where ${hasNoneAfter(table, span, schema)}` : text,
      values,
    });
    if (span.isTentative && sizeOf(rows) < limit) continue;
    found = [...found, ...rows];
    if (sizeOf(found) >= limit) break;
  }
  return sumOf === undefined ? found.slice(0, limit) : found;
}

/** In the caller's transaction: its connection is already taken, and its settings are not changed. */
export function readingWithin(
  database: Database,
  { schema, isDistributed }: Pick<ReadingOptions, 'schema' | 'isDistributed'>,
): Reading {
  const find: Reading['find'] = (text, values) => database.query(text, values);
  return {
    find,
    isDistributed,
    waitsForCommits: false,
    rangesOf: async () => null,
    rowByKey: rowByKey(find, schema),
    list: ({ text, values }) => database.query(text, values),
    listBySpans: (_, { statementIn }) => {
      const { text, values } = statementIn(null);
      return database.query(text, values);
    },
  };
}

/**
 * Runs in its own transaction, of one snapshot, because a setting can be limited to a transaction through any proxy. JIT is off: the
 * estimated cost of the plan is unrelated to the few rows that it reads.
 */
export async function readPage<Value>(
  pool: Pool,
  read: (ask: Ask) => Promise<Value>,
  { pageTimeoutMs, waitMs, statementOf, keepsPlans, planning = '' }: PageOptions,
): Promise<Value> {
  const client = await borrowed(pool).catch((error: unknown) => {
    throw asOutage(error);
  });
  // Each statement also has a client-side limit: a server that has stopped responding never reports its own timeout, and
  // the connection would be lost permanently.
  const limited = { query_timeout: waitMs };
  const say = (text: string): Promise<unknown> => client.query({ text, ...limited });
  // A plan that is made for one execution leaves out the partitions beyond its values; a kept one does so whenever it is executed.
  const keeping = keepsPlans ? '; set local plan_cache_mode = force_generic_plan' : '';
  try {
    await say(
      `begin isolation level repeatable read read only; set local statement_timeout = ${pageTimeoutMs}; set local jit = off${keeping}${planning}`,
    );
    const value = await read(
      async <Row extends QueryResultRow>(statement: Statement) =>
        (await client.query<Row>(statementOf(statement))).rows,
    );
    await say('commit');
    client.release();
    return value;
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
  /** The number of concurrent users. */
  readonly places: number;
  /** The time that others wait for a place; longer is an outage. */
  readonly waitMs: number;
}

/** A share of the connections, for one kind of work. Without a free place, callers wait in line. */
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
      const onPlace = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.line.delete(onPlace);
        reject(
          new StoreOutage(
            new Error(`all ${this.options.places} places for reads were taken for ${this.options.waitMs} ms`),
          ),
        );
      }, this.options.waitMs);
      this.line.add(onPlace);
    });
  }

  /** Passes the place to the first caller in line, or frees it. */
  private passOn(): void {
    const [next] = this.line;
    if (next === undefined) this.taken -= 1;
    else {
      this.line.delete(next);
      next();
    }
  }
}
