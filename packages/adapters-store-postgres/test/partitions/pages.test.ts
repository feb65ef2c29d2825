import { changes, rows } from '@gateramp/conformance';
import { DAY, HOUR, type Instant, type PageRequest } from '@gateramp/core/domain';
import type { Store, StoreCounts } from '@gateramp/core/ports';
import { stillScheduler } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withTransaction } from '../../src/index.js';
import { postgresStore } from '../patient-store.js';
import { PARTITIONED_TABLES, type PartitionedTable } from '../../src/partitions/tables.js';
import { testPool } from '../postgres-subject.js';
import { indexConditions, scansOfTables } from '../rows-read.js';
import { cutOpenEnd } from '../../src/partitions/cut.js';
import { withPartitionWork } from '../../src/partitions/session.js';
import { partitionedSchema } from './partitioned-schema.js';

const MONTH = 31 * DAY;
/** Rows lie between the first border and the third from the end; the partitions beyond are empty. */
const BORDERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((month) => rows.T0 + month * MONTH);
const FILLED = 7;
const NOW = rows.T0 + FILLED * MONTH - 1;
const PER_MONTH = 4;
const LIMIT = 2;
const HOURS = 24;
const MIDDLE = 3;
const NOBODY = { ...rows.ACME, partnerId: 'nobody' };
const NO_TIME = { createdAfter: null, createdBefore: null };

let pool: pg.Pool;
let schema: string;

beforeAll(async () => {
  const making = await testPool(4);
  schema = await partitionedSchema(making, BORDERS);
  for (let nth = 0; nth < FILLED * PER_MONTH; nth += 1)
    await purchaseAt(postgresStore(making, { schema }), rows.T0 + (0.2 + nth / PER_MONTH) * MONTH);
  for (const table of PARTITIONED_TABLES) await making.query(`vacuum analyze "${schema}".${table}`);
  await making.end();
  pool = await testPool(1);
});
afterAll(() => pool.end());

/** A row of each table, or several. */
async function purchaseAt(store: Store, at: Instant): Promise<void> {
  const { session, change } = changes.sessionCreation({ at });
  await store.commit(change);
  await store.commit(changes.beginning(session, rows.aPurchase(session, at), at));
}

// The month that is tried first is that of the present.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterEach(() => void vi.useRealTimers());

const LISTS: readonly {
  readonly title: string;
  readonly table: PartitionedTable;
  readonly column: string;
  readonly list: (store: Store, page: PageRequest, isNone: boolean) => Promise<readonly unknown[]>;
}[] = [
  {
    title: 'all sessions',
    table: 'sessions',
    column: 'id',
    list: (store, page, isNone) => {
      const filter = { status: null, flow: null, currency: null, userReference: null };
      return store.list('session', isNone ? NOBODY : rows.ACME, { ...filter, ...NO_TIME }, page, rows.T0);
    },
  },
  {
    title: 'sessions of a status',
    table: 'sessions',
    column: 'id',
    list: (store, page, isNone) => {
      const filter = { flow: null, currency: null, userReference: null, ...NO_TIME };
      return store.list('session', rows.ACME, { ...filter, status: isNone ? 'cancelled' : 'open' }, page, rows.T0);
    },
  },
  {
    title: 'transactions of a status',
    table: 'transactions',
    column: 'id',
    list: (store, page, isNone) => {
      const filter = { flow: null, sessionId: null, userReference: null, ...NO_TIME };
      return store.list('transaction', rows.ACME, { ...filter, status: isNone ? 'refunded' : 'pending' }, page);
    },
  },
  {
    title: 'all transactions',
    table: 'transactions',
    column: 'id',
    list: (store, page, isNone) => {
      const filter = { status: null, flow: null, sessionId: null, userReference: null };
      return store.list('transaction', isNone ? NOBODY : rows.ACME, { ...filter, ...NO_TIME }, page);
    },
  },
  {
    title: 'events',
    table: 'events',
    column: 'created_at',
    list: (store, page, isNone) =>
      store.list('event', rows.ACME, { type: isNone ? 'never' : null, sessionId: null, ...NO_TIME }, page),
  },
  {
    title: 'deliveries',
    table: 'deliveries',
    column: 'id',
    list: (store, page, isNone) => {
      const filter = { eventType: null, eventId: null, sessionId: null, target: 'webhook' as const, ...NO_TIME };
      return store.list('delivery', rows.ACME, { ...filter, status: isNone ? 'dead_lettered' : null }, page);
    },
  },
];

describe.each(LISTS)('a page of $title', ({ table, column, list }) => {
  async function read(start: PageRequest['start'], isNone = false) {
    let found: readonly unknown[] = [];
    const scans = await scansOfTables(pool, async (counted) => {
      found = await list(postgresStore(counted, { schema }), { start, limit: LIMIT }, isNone);
    });
    const ofMonth = (border: Instant | undefined): number => scans.get(`${table}_${border}`) ?? 0;
    const months = BORDERS.slice(0, FILLED);
    return {
      found: found.length,
      searched: months.filter((month) => ofMonth(month) > 0),
      comingScans: BORDERS.slice(FILLED, -1).map(ofMonth),
    };
  }

  /** The id of a row in the middle month. */
  async function cursor(order: 'asc' | 'desc'): Promise<string> {
    const { rows: found } = await pool.query<{ id: string }>(
      `select id from "${schema}"."${table}_${BORDERS[MIDDLE]}" order by ${column} ${order} limit 1`,
    );
    return found[0]?.id ?? '';
  }

  it('searches only the newest month with rows for the first page, and checks once that later months have none', async () => {
    expect(await read({ kind: 'newest' })).toEqual({
      found: LIMIT + 1,
      searched: [BORDERS[FILLED - 1]],
      comingScans: [1, 1],
    });
  });

  it('steps from one kind of row to the next without a condition of the index on the column of months', async () => {
    const page = { start: { kind: 'after', id: await cursor('desc') }, limit: LIMIT } as const;
    // Otherwise tables of so few rows are read whole.
    await pool.query('set enable_seqscan = off; set enable_bitmapscan = off');
    onTestFinished(() => void pool.query('reset enable_seqscan; reset enable_bitmapscan'));
    const conditions = await indexConditions(pool, (counted) => list(postgresStore(counted, { schema }), page, false));
    expect(conditions.filter((condition) => condition.includes(`(${column} >= `))).toHaveLength(1);
  });

  it('searches the month of a cursor in both directions', async () => {
    const expected = { found: LIMIT + 1, searched: [BORDERS[MIDDLE]], comingScans: [0, 0] };
    expect(await read({ kind: 'after', id: await cursor('desc') })).toEqual(expected);
    expect(await read({ kind: 'before', id: await cursor('asc') })).toEqual(expected);
  });

  it('goes on to other months until the page is full', async () => {
    expect(await read({ kind: 'after', id: await cursor('asc') })).toMatchObject({ found: LIMIT + 1 });
    expect(await read({ kind: 'before', id: await cursor('desc') })).toMatchObject({ found: LIMIT + 1 });
    const none = await read({ kind: 'newest' }, true);
    expect(none.found).toBe(0);
    expect(none.searched).toHaveLength(FILLED);
  });

  it('lists rows from clocks that are ahead first, also in months that were created after the store read the partitions', async () => {
    const owner = await testPool(4);
    onTestFinished(() => owner.end());
    const ahead = await partitionedSchema(owner, [rows.T0, rows.T0 + MONTH]);
    const store = postgresStore(owner, { schema: ahead });
    const newest = { start: { kind: 'newest' }, limit: LIMIT } as const;
    const client = await owner.connect();
    onTestFinished(() => client.release());
    /** Statements within a transaction search all partitions. */
    const whole = withTransaction(client, { schema: ahead, scheduler: stillScheduler() }).store;
    const months = [0.2, 0.3, 0.4, 1.2, 2.2, 2.3, 2.4];
    for (const [nth, month] of months.entries()) {
      await purchaseAt(store, rows.T0 + month * MONTH);
      const listed = await list(store, newest, false);
      expect(listed).toEqual(await list(whole, newest, false));
      expect(listed).toHaveLength(Math.min(LIMIT, nth) + 1);
      if (month === 1.2)
        await withPartitionWork(owner, ahead, {}, (work) => cutOpenEnd(work, table, [rows.T0 + 2 * MONTH]));
    }
  });
});

it('counts of the hours of a day search only its month', async () => {
  const day = rows.T0 + (FILLED - 1 + 0.2) * MONTH - (HOURS / 2) * HOUR;
  const times = Array.from({ length: HOURS }, (_, hour) => ({
    createdAfter: day + hour * HOUR,
    createdBefore: day + (hour + 1) * HOUR,
  }));
  const page = { start: { kind: 'newest' }, limit: LIMIT } as const;
  const ofSessions = { status: 'open', flow: null, currency: null, userReference: null, ...NO_TIME } as const;
  const ofDeliveries = { eventType: null, eventId: null, sessionId: null, target: 'webhook', ...NO_TIME } as const;
  const scans = await scansOfTables(pool, async (counted) => {
    const store = postgresStore(counted, { schema });
    const sessions = await countsOf(store).countEach('session', times, rows.ACME, ofSessions, page, rows.T0);
    const filter = { ...ofDeliveries, status: 'delivered' } as const;
    const deliveries = await countsOf(store).countEach('delivery', times, rows.ACME, filter, page);
    expect([sessions, deliveries].map((counts) => counts.reduce((sum, count) => sum + count, 0))).toEqual([1, 0]);
  });
  const month = BORDERS[FILLED - 1];
  expect(new Set(scans.keys())).toEqual(new Set([`sessions_${month}`, `deliveries_${month}`]));
});

/** This store has counts of its own. */
function countsOf({ counts }: Pick<Store, 'counts'>): StoreCounts {
  if (counts === undefined) throw new Error('The store has no counts.');
  return counts;
}
