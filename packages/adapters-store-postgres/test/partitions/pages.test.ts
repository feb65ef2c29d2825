import { changes, rows } from '@gateramp/conformance';
import { DAY, type PageRequest } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStore } from '../../src/index.js';
import { PARTITIONED_TABLES, type PartitionedTable } from '../../src/partitions/tables.js';
import { testPool } from '../postgres-subject.js';
import { tablesRead } from '../rows-read.js';
import { partitionedSchema } from './partitioned-schema.js';

const MONTH = 31 * DAY;
/** Rows lie between the first and the last border; the partition beyond is empty. */
const BORDERS = [0, 1, 2, 3, 4, 5, 6, 7].map((month) => rows.T0 + month * MONTH);
const FILLED = 7;
const PER_MONTH = 4;
const LIMIT = 2;
const MIDDLE = 3;
const NO_TIME = { createdAfter: null, createdBefore: null };

let pool: pg.Pool;
let schema: string;

beforeAll(async () => {
  const making = await testPool(4);
  schema = await partitionedSchema(making, BORDERS);
  const store = postgresStore(making, { schema });
  for (let nth = 0; nth < FILLED * PER_MONTH; nth += 1) {
    const at = rows.T0 + (0.2 + nth / PER_MONTH) * MONTH;
    const { session, change } = changes.sessionCreation({ at });
    await store.commit(change);
    await store.commit(changes.beginning(session, rows.aPurchase(session, at), at));
  }
  for (const table of PARTITIONED_TABLES) await making.query(`vacuum analyze "${schema}".${table}`);
  await making.end();
  pool = await testPool(1);
});
afterAll(() => pool.end());

/** Lists that are filtered, or whose rows are grouped by kind. */
const LISTS: readonly {
  readonly table: PartitionedTable;
  readonly column: string;
  readonly list: (store: Store, page: PageRequest, isNone: boolean) => Promise<readonly unknown[]>;
}[] = [
  {
    table: 'sessions',
    column: 'id',
    list: (store, page, isNone) => {
      const filter = { flow: null, currency: null, userReference: null, ...NO_TIME };
      return store.list('session', rows.ACME, { ...filter, status: isNone ? 'cancelled' : 'open' }, page, rows.T0);
    },
  },
  {
    table: 'transactions',
    column: 'id',
    list: (store, page, isNone) => {
      const filter = { flow: null, sessionId: null, userReference: null, ...NO_TIME };
      return store.list('transaction', rows.ACME, { ...filter, status: isNone ? 'refunded' : 'pending' }, page);
    },
  },
  {
    table: 'events',
    column: 'created_at',
    list: (store, page, isNone) =>
      store.list('event', rows.ACME, { type: isNone ? 'never' : null, sessionId: null, ...NO_TIME }, page),
  },
  {
    table: 'deliveries',
    column: 'id',
    list: (store, page, isNone) => {
      const filter = { eventType: null, eventId: null, sessionId: null, target: 'webhook' as const, ...NO_TIME };
      return store.list('delivery', rows.ACME, { ...filter, status: isNone ? 'dead_lettered' : null }, page);
    },
  },
];

describe.each(LISTS)('a filtered page of $table', ({ table, column, list }) => {
  async function read(start: PageRequest['start'], isNone = false) {
    let found: readonly unknown[] = [];
    const searched = await tablesRead(pool, async (counted) => {
      found = await list(postgresStore(counted, { schema }), { start, limit: LIMIT }, isNone);
    });
    const { rows: filled } = await pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = to_regnamespace($1) and relname = any ($2) and reltuples > 0`,
      [`"${schema}"`, searched],
    );
    return { found: found.length, searched: filled.filter(({ name }) => name.startsWith(`${table}_`)) };
  }

  /** The id of a row in the middle month. */
  async function cursor(order: 'asc' | 'desc'): Promise<string> {
    const { rows: found } = await pool.query<{ id: string }>(
      `select id from "${schema}"."${table}_${BORDERS[MIDDLE]}" order by ${column} ${order} limit 1`,
    );
    return found[0]?.id ?? '';
  }

  it('searches the newest month with rows for the first page', async () => {
    expect(await read({ kind: 'newest' })).toEqual({
      found: LIMIT + 1,
      searched: [{ name: `${table}_${BORDERS[FILLED - 1]}` }],
    });
  });

  it('searches the month of a cursor in both directions', async () => {
    const searched = [{ name: `${table}_${BORDERS[MIDDLE]}` }];
    expect(await read({ kind: 'after', id: await cursor('desc') })).toEqual({ found: LIMIT + 1, searched });
    expect(await read({ kind: 'before', id: await cursor('asc') })).toEqual({ found: LIMIT + 1, searched });
  });

  it('goes on to other months until the page is full', async () => {
    expect(await read({ kind: 'after', id: await cursor('asc') })).toMatchObject({ found: LIMIT + 1 });
    expect(await read({ kind: 'before', id: await cursor('desc') })).toMatchObject({ found: LIMIT + 1 });
    const none = await read({ kind: 'newest' }, true);
    expect(none.found).toBe(0);
    expect(none.searched).toHaveLength(FILLED);
  });
});
