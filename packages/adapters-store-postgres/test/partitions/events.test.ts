import { changes, rows } from '@gateramp/conformance';
import { DAY, type GateEvent, type Instant, type PageRequest, SECOND } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { nodeIds } from '@gateramp/core/runtime';
import { stillScheduler } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { postgresPartitions, withTransaction } from '../../src/index.js';
import { postgresStore } from '../patient-store.js';
import { testPool } from '../postgres-subject.js';
import { blocksRead, scansOfTables } from '../rows-read.js';
import { partitionedSchema } from './partitioned-schema.js';

const MONTH = 31 * DAY;
const BORDERS = [0, 1, 2, 3, 4].map((month) => rows.T0 + month * MONTH);
/** The month in which all cursors are, and two filled ones on each side. */
const MIDDLE = 2;
const PER_MONTH = 6;
const FILTER = { type: null, sessionId: null, createdAfter: null, createdBefore: null };
const PAGE = 2;
/** Half of this many index entries are in about 150 blocks; a page needs about 20. */
const CROWD = 20_000;
const BLOCKS_MAX = 60;

let pool: pg.Pool;
let schema: string;
/** In the order of their creation. In each month, ids begin with the time, are random, and begin with another time in turn. */
const events: GateEvent[] = [];

beforeAll(async () => {
  const making = await testPool(4);
  schema = await partitionedSchema(making, BORDERS);
  await fill(postgresStore(making, { schema }), events);
  await making.query(`vacuum analyze "${schema}".events`);
  await making.end();
  pool = await testPool(1);
});
afterAll(() => pool.end());

async function fill(store: Store, into: GateEvent[]): Promise<void> {
  const ids = nodeIds();
  for (let nth = 0; nth < BORDERS.length * PER_MONTH; nth += 1) {
    const at = rows.T0 + ((nth + 0.5) / PER_MONTH) * MONTH;
    const id = [ids.uuid(at), ids.uuid(), ids.uuid(at - MONTH)][nth % 3] ?? '';
    const event = { ...rows.aPartnerEvent(rows.ACME, at), id };
    expect(await store.commit(changes.eventOnly(event))).toEqual({ kind: 'committed' });
    into.push(event);
  }
}

/** Tables that are searched, those of the catalog left out. */
async function searched(work: (store: Store) => Promise<unknown>): Promise<readonly string[]> {
  const scans = await scansOfTables(pool, (counted) => work(postgresStore(counted, { schema })));
  return [...scans.keys()].filter((name) => !name.startsWith('pg_')).toSorted();
}

const month = (at: Instant): string => `events_${BORDERS.findLast((border) => border <= at)}`;

const ofMiddle = (): readonly GateEvent[] => events.slice(MIDDLE * PER_MONTH, (MIDDLE + 1) * PER_MONTH);

it('a page after or before an id that begins with its time looks the cursor up in the same statement, in that month', async () => {
  const [first, , , last] = ofMiddle();
  for (const [kind, cursor, expected] of [
    ['before', first, ofMiddle().slice(1, PAGE + 2)],
    [
      'after',
      last,
      ofMiddle()
        .slice(2 - PAGE, 3)
        .toReversed(),
    ],
  ] as const) {
    let found: readonly GateEvent[] = [];
    const tables = await searched(async (store) => {
      found = await store.list('event', rows.ACME, FILTER, { start: { kind, id: cursor?.id ?? '' }, limit: PAGE });
    });
    expect(found).toEqual(expected);
    expect(tables).toEqual([month(cursor?.createdAt ?? 0)]);
  }
});

it('a page after or before an id that begins with its time does not read the month up to its cursor', async () => {
  const owner = await testPool(4);
  onTestFinished(() => owner.end());
  const crowded = await partitionedSchema(owner, BORDERS);
  const ids = nodeIds();
  const times = Array.from({ length: CROWD }, (_, nth) => rows.T0 + MIDDLE * MONTH + nth * SECOND);
  const crowd = times.map((at) => ids.uuid(at));
  await owner.query(
    `insert into "${crowded}".events (id, partner_id, mode, type, created_at, body)
     select id, $1, $2, 'crowd', created_at, '{}' from unnest($3::text[], $4::bigint[]) as e(id, created_at)`,
    [rows.ACME.partnerId, rows.ACME.mode, crowd, times],
  );
  await owner.query(`vacuum analyze "${crowded}".events`);
  for (const kind of ['after', 'before'] as const) {
    const page: PageRequest = { start: { kind, id: crowd[CROWD / 2] ?? '' }, limit: PAGE };
    const blocks = await blocksRead(pool, (counted) =>
      postgresStore(counted, { schema: crowded }).list('event', rows.ACME, FILTER, page),
    );
    expect(blocks).toBeLessThan(BLOCKS_MAX);
  }
});

it('an event is found in the month that its id begins with, or by its key', async () => {
  for (const event of ofMiddle()) {
    let found: GateEvent | null = null;
    const tables = await searched(async (store) => {
      found = await store.find('event', rows.ACME, event.id);
    });
    expect(found).toEqual(event);
    const own = month(event.createdAt);
    const kind = events.indexOf(event) % 3;
    expect(tables).toEqual([[own], ['event_keys', own], ['event_keys', month(event.createdAt - MONTH), own]][kind]);
  }
});

it('an event that does not exist is searched in no more than one month', async () => {
  const ids = nodeIds();
  const find = (id: string) => searched(async (store) => expect(await store.find('event', rows.ACME, id)).toBeNull());
  expect(await find(ids.uuid())).toEqual(['event_keys']);
  expect(await find(ids.uuid(rows.T0))).toEqual(['event_keys', month(rows.T0)]);
});

/** Every page that begins at an event, and every event, as a transaction reads them, whose statements search all partitions. */
async function expectSame(store: Store, owner: pg.Pool, inSchema: string, all: readonly GateEvent[]): Promise<void> {
  const client = await owner.connect();
  try {
    const whole = withTransaction(client, { schema: inSchema, scheduler: stillScheduler() }).store;
    for (const [nth, event] of all.entries()) {
      expect(await store.find('event', rows.ACME, event.id)).toEqual(event);
      for (const kind of ['after', 'before'] as const) {
        const page: PageRequest = { start: { kind, id: event.id }, limit: PAGE };
        const filter = {
          ...FILTER,
          createdAfter: nth % 4 === 1 ? event.createdAt - MONTH : null,
          createdBefore: nth % 4 === 2 ? event.createdAt + MONTH : null,
        };
        const listed = await store.list('event', rows.ACME, filter, page);
        expect(listed).toEqual(await whole.list('event', rows.ACME, filter, page));
      }
    }
  } finally {
    client.release();
  }
}

it('pages and events are the same whatever their ids begin with', async () => {
  const owner = await testPool(2);
  onTestFinished(() => owner.end());
  await expectSame(postgresStore(owner, { schema }), owner, schema, events);
});

it('a store that does not know yet that the table is whole again finds its events and pages', async () => {
  const owner = await testPool(4);
  onTestFinished(() => owner.end());
  const own = await partitionedSchema(owner, BORDERS);
  const all: GateEvent[] = [];
  const store = postgresStore(owner, { schema: own });
  await fill(store, all);
  await expectSame(store, owner, own, all);
  await postgresPartitions(owner, { schema: own }).off();
  await expectSame(store, owner, own, all);
});
