import {
  DAY,
  DELIVERY_STATUSES,
  FLOWS,
  HOUR,
  SESSION_STATUSES,
  TRANSACTION_STATUSES,
  type PageRequest,
} from '@gateramp/core/domain';
import type {
  DeliveryFilter,
  EventFilter,
  SessionFilter,
  Store,
  StoreCounts,
  TransactionFilter,
} from '@gateramp/core/ports';
import { rows } from '@gateramp/conformance';
import { findTransfers } from '@gateramp/provider-legs';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresLegsStore, postgresStore } from '../src/index.js';
import { EACH_POSTGRES } from './each-postgres.js';
import { freshSchema, testPool } from './postgres-subject.js';
import { rowsReadAfresh, rowsReadByKeptPlans, type RowsRead } from './rows-read.js';

const NOW = rows.T0 + 10 * DAY;
const CROWD = 3_000;
/** The time between two rows of a crowd. Around a bound of creation, a page also reads rows created within the same minute. */
const STEP_MS = 10_000;
const LIMIT = 10;
/** The limit allows a page of each existing kind of row, and a step for each possible kind. The crowd is a hundred times larger. */
const READ_MAX = 200;

let pool: pg.Pool;
let schema: string;
const { partnerId, mode } = rows.ACME;

const DAY_BY_HOURS = Array.from({ length: 24 }, (_, hour) => ({
  createdAfter: NOW - DAY + hour * HOUR,
  createdBefore: NOW - DAY + (hour + 1) * HOUR,
}));
/** A page of each hour in which there is something, and the steps of `READ_MAX`. The crowds of the day are ten times larger. */
const HOURS_READ_MAX = 300;

/** All combinations of one choice for each filter. */
function choices<Choice extends object>(options: {
  readonly [Name in keyof Choice]: readonly Choice[Name][];
}): readonly Choice[] {
  const names = Object.keys(options) as (keyof Choice)[];
  return names.reduce<readonly Choice[]>(
    (all, name) => all.flatMap((chosen) => options[name].map((one) => ({ ...chosen, [name]: one }))),
    // Filled above with every name.
    [{} as Choice],
  );
}

type Bounds = Pick<SessionFilter, 'createdAfter' | 'createdBefore'>;

const ANY_TIME: Bounds = { createdAfter: null, createdBefore: null };
const WINDOWS: readonly Bounds[] = [
  ANY_TIME,
  { createdAfter: NOW - 9 * DAY, createdBefore: NOW - 15 * HOUR },
  { createdAfter: null, createdBefore: NOW - 5 * DAY },
  { createdAfter: NOW - 5 * DAY, createdBefore: NOW - 4 * DAY },
  { createdAfter: NOW, createdBefore: null },
];

/** The statistics that Postgres had when it planned. */
const KNOWN = ['with plans made while they were not there', 'without statistics', 'with statistics'] as const;

describe.each(EACH_POSTGRES)('on %s', (_, stock) => {
  beforeAll(async () => {
    pool = await testPool(1, { stock });
    schema = await freshSchema(pool);
  });
  afterAll(() => pool.end());

  it('the transactions of a hash are read alone, with plans of any age', async () => {
    const own = await freshSchema(pool);
    const hash = `0x${'a'.repeat(64)}`;
    const readBy = (read: RowsRead): Promise<number> =>
      read((counted) => postgresStore(counted, { schema: own }).list('transaction_of_hash', rows.ACME, hash));
    const kept = rowsReadByKeptPlans(pool);
    await readBy(kept);
    await pool.query(
      `insert into "${own}".transactions (partner_id, mode, id, version, session_id, status, flow, user_reference, created_at, row)
       select $1, $2, 'gtx_' || n, 1, null, 'completed', 'on_ramp', null, n,
         json_build_object('txHash', case when n = 7 then $3 when n % 2 = 0 then '0x' || md5(n::text) end)
       from generate_series(1, ${CROWD}) n`,
      [partnerId, mode, hash],
    );
    const read = [await readBy(kept), await readBy(rowsReadAfresh(pool))];
    await pool.query(`vacuum analyze "${own}".transactions`);
    expect([...read, await readBy(rowsReadAfresh(pool))]).toEqual([1, 1, 1]);
  });

  it('the transfers of a hash are read alone, with plans of any age', async () => {
    const own = await freshSchema(pool);
    const hash = `0x${'7'.repeat(64)}`;
    const readBy = (read: RowsRead): Promise<number> =>
      read((counted) => findTransfers(postgresLegsStore(counted, { schema: own }), hash));
    const kept = rowsReadByKeptPlans(pool);
    await readBy(kept);
    await pool.query(
      `insert into "${own}".leg_documents (kind, id, version, status, due_at, body)
       select kind, '0x' || repeat(to_hex(n % 16), 64) || case when n % 16 = 7 and n > 7 then '7' else '' end || ' op' || n || '-send',
         1, 'recorded', null, '{"callId":"none","as":"send"}'
       from generate_series(1, ${CROWD}) n, unnest(array['chain_transfer', 'evm_send']) kind`,
    );
    const read = [await readBy(kept), await readBy(rowsReadAfresh(pool))];
    await pool.query(`vacuum analyze "${own}".leg_documents`);
    expect([...read, await readBy(rowsReadAfresh(pool))]).toEqual([1, 1, 1]);
  });

  describe.each(KNOWN)('however many rows the other filters leave out (%s)', (known) => {
    it('a page of sessions reads a bounded number of rows, whatever the filter', async () => {
      const crowds = { tables: ['sessions'], fill: sessionCrowds };
      const filters = choices<Omit<SessionFilter, 'createdAfter' | 'createdBefore'>>({
        status: [null, ...SESSION_STATUSES],
        flow: [null, ...FLOWS],
        currency: [null, 'EUR', 'USD'],
        userReference: [null, 'crowd', 'one'],
      });
      await everyPageIsBounded(
        known,
        crowds,
        filters,
        (store, filter, page) => store.list('session', rows.ACME, filter, page, NOW),
        objectIdOf,
        (store, filter, page) => countsOf(store).countEach('session', DAY_BY_HOURS, rows.ACME, filter, page, NOW),
      );
    });

    it('a page of transactions reads a bounded number of rows, whatever the filter', async () => {
      const crowds = { tables: ['transactions'], fill: transactionCrowds };
      const filters = choices<Omit<TransactionFilter, 'createdAfter' | 'createdBefore'>>({
        status: [null, ...TRANSACTION_STATUSES],
        flow: [null, ...FLOWS],
        sessionId: [null, 'session-7'],
        userReference: [null, 'crowd', 'one'],
      });
      await everyPageIsBounded(
        known,
        crowds,
        filters,
        (store, filter, page) => store.list('transaction', rows.ACME, filter, page),
        refidOf,
      );
    });

    it('a page of events reads a bounded number of rows, whatever the filter', async () => {
      const crowds = { tables: ['events'], fill: eventCrowds };
      const filters = choices<Omit<EventFilter, 'createdAfter' | 'createdBefore'>>({
        type: [null, 'crowd.b', 'crowd.c', 'rare.a', 'rare.z', 'never'],
        sessionId: [null, null, null, 'session-7crowd.b'],
      });
      await everyPageIsBounded(
        known,
        crowds,
        filters,
        (store, filter, page) => store.list('event', rows.ACME, filter, page),
        (instant) => `crowd.b-${instant}`,
      );
    });

    it('a page of deliveries reads a bounded number of rows, whatever the filter', async () => {
      const crowds = { tables: ['deliveries', 'delivery_queue', 'events'], fill: deliveryCrowds };
      const filters = choices<Omit<DeliveryFilter, 'createdAfter' | 'createdBefore'>>({
        status: [null, ...DELIVERY_STATUSES],
        target: ['webhook'],
        eventType: [null, 'crowd.b', 'rare.a', 'never'],
        eventId: [null, null, null, `crowd.b-${NOW - 6 * DAY + 9 * STEP_MS}`],
        sessionId: [null, null, 'session-7crowd.b'],
      });
      await everyPageIsBounded(
        known,
        crowds,
        filters,
        (store, filter, page) => store.list('delivery', rows.ACME, filter, page),
        objectIdOf,
        (store, filter, page) => countsOf(store).countEach('delivery', DAY_BY_HOURS, rows.ACME, filter, page),
      );
    });

    it('a page of documents reads a bounded number of rows, however many other documents exist', async () => {
      const crowds = { tables: ['documents'], fill: documentCrowds };
      const filters = choices<{ noun: string; group: string | null }>({
        noun: ['crowd', 'other', 'rare', 'never'],
        group: [null, 'many', 'few', 'none'],
      });
      await everyPageIsBounded(
        known,
        crowds,
        filters,
        (store, { noun, ...filter }, page) => store.list('document', rows.ACME, noun, filter, page),
        objectIdOf,
      );
    });
  });
});

interface Crowds {
  readonly tables: readonly string[];
  readonly fill: () => Promise<void>;
}

/** The first kind of plans fills the tables, which the others find full. */
async function everyPageIsBounded<Filter>(
  known: (typeof KNOWN)[number],
  { tables, fill }: Crowds,
  filters: readonly Filter[],
  list: (store: Store, filter: Filter & Bounds, page: PageRequest) => Promise<unknown>,
  idOf: (instant: number) => string,
  countEach: typeof list | null = null,
): Promise<void> {
  const read = known === 'with plans made while they were not there' ? rowsReadByKeptPlans(pool) : rowsReadAfresh(pool);
  const beyond = async () => [
    ...(await pagesBeyond(read, filters, list, idOf)),
    ...(countEach === null ? [] : await countsBeyond(read, filters, countEach)),
  ];
  if (known === 'with plans made while they were not there') {
    await beyond();
    await fill();
  }
  if (known === 'with statistics')
    await pool.query(`vacuum analyze ${tables.map((table) => `"${schema}".${table}`).join(', ')}`);
  expect(await beyond()).toEqual([]);
}

async function pagesBeyond<Filter>(
  rowsRead: RowsRead,
  filters: readonly Filter[],
  list: (store: Store, filter: Filter & Bounds, page: PageRequest) => Promise<unknown>,
  idOf: (instant: number) => string,
): Promise<readonly string[]> {
  const cursors = [NOW - 7 * DAY, NOW - 2 * DAY, NOW].map(idOf);
  const starts: readonly PageRequest['start'][] = [
    { kind: 'newest' },
    ...cursors.flatMap((id) => [{ kind: 'after', id } as const, { kind: 'before', id } as const]),
  ];
  const beyond: string[] = [];
  for (const [nth, filter] of filters.entries()) {
    // One window and one start each; their numbers, five and seven, make them meet all combinations in turn.
    const bounded = { ...filter, ...(WINDOWS[nth % WINDOWS.length] ?? ANY_TIME) };
    const start = starts[nth % starts.length] ?? { kind: 'newest' };
    const read = await rowsRead((counted) =>
      list(postgresStore(counted, { schema }), bounded, { start, limit: LIMIT }),
    );
    if (read > READ_MAX) beyond.push(`${read} rows for ${JSON.stringify({ ...bounded, start })}`);
  }
  return beyond;
}

/** The rows that the counts of a day's hours read too many of. */
async function countsBeyond<Filter>(
  rowsRead: RowsRead,
  filters: readonly Filter[],
  countEach: (store: Store, filter: Filter & Bounds, page: PageRequest) => Promise<unknown>,
): Promise<readonly string[]> {
  const beyond: string[] = [];
  // Every fifth combination: together they contain every value of every filter.
  for (const filter of filters.filter((_, nth) => nth % 5 === 0)) {
    const page = { start: { kind: 'newest' }, limit: LIMIT } as const;
    const read = await rowsRead((counted) =>
      countEach(postgresStore(counted, { schema }), { ...filter, ...ANY_TIME }, page),
    );
    if (read > HOURS_READ_MAX) beyond.push(`${read} rows for the hours of ${JSON.stringify(filter)}`);
  }
  return beyond;
}

/** Crowds that share nearly everything with the requested rows, and a few old rows of every other kind. */
async function sessionCrowds(): Promise<void> {
  const insert = (since: number, count: number, values: string): Promise<unknown> =>
    pool.query(
      `insert into "${schema}".sessions (partner_id, mode, id, version, status, flow, currency, user_reference, created_at, expires_at, is_held, row)
       select $1, $2, lpad(to_hex($3::bigint + n * ${STEP_MS}), 12, '0') || lpad(to_hex(n), 12, '0'), 1, v.status, v.flow, v.currency, v.user_reference,
         $3::bigint + n * ${STEP_MS}, $3::bigint + n * ${STEP_MS} + ${DAY}, false, '{}'
       from generate_series(1, $4::int) n, (values ${values}) as v(status, flow, currency, user_reference)`,
      [partnerId, mode, since, count],
    );
  await insert(NOW - 8 * DAY, 3, `('completed', 'off_ramp', 'USD', 'one')`);
  await insert(NOW - 7 * DAY, 3, `('cancelled', 'swap', 'ZZZ', null)`);
  await insert(NOW - 6 * DAY, CROWD, `('completed', 'on_ramp', 'EUR', 'crowd')`);
  await insert(NOW - 3 * DAY, CROWD, `('open', 'on_ramp', 'EUR', 'crowd')`);
  await insert(NOW - 2 * DAY, CROWD, `('open', null, 'EUR', 'one')`);
  await insert(NOW - 20 * HOUR, CROWD, `('open', 'on_ramp', 'EUR', 'crowd')`);
  await insert(NOW - 10 * HOUR, CROWD, `('expired', 'off_ramp', 'USD', null)`);
}

async function transactionCrowds(): Promise<void> {
  const insert = async (since: number, count: number, values: string): Promise<void> => {
    const refids = Array.from({ length: count }, (_, nth) => refidOf(since + nth * STEP_MS));
    await pool.query(
      `insert into "${schema}".transactions (partner_id, mode, id, version, session_id, status, flow, user_reference, created_at, row)
       select $1, $2, r.refid, 1, 'session-' || r.n % 1000, v.status, v.flow, v.user_reference, $3::bigint + (r.n - 1) * ${STEP_MS}, '{}'
       from unnest($4::text[]) with ordinality as r(refid, n), (values ${values}) as v(status, flow, user_reference)`,
      [partnerId, mode, since, refids],
    );
  };
  await insert(NOW - 8 * DAY, 3, `('refunded', 'off_ramp', 'one')`);
  await insert(NOW - 6 * DAY, CROWD, `('completed', 'on_ramp', 'crowd')`);
  await insert(NOW - 3 * DAY, CROWD, `('completed', 'on_ramp', 'crowd')`);
  await insert(NOW - 10 * HOUR, CROWD, `('failed', 'swap', null)`);
}

async function eventCrowds(): Promise<void> {
  const insert = (type: string, since: number, count: number): Promise<unknown> =>
    pool.query(
      `insert into "${schema}".events (id, partner_id, mode, session_id, sequence, type, created_at, body)
       select $3::text || '-' || ($4::bigint + n * ${STEP_MS}), $1, $2, case when $5 > 1000 then 'session-' || n % 1000 || $3 end, n, $3, $4::bigint + n * ${STEP_MS}, '{}'
       from generate_series(1, $5::int) n`,
      [partnerId, mode, type, since, count],
    );
  await insert('rare.a', NOW - 8 * DAY, 3);
  await insert('rare.z', NOW - 7 * DAY - 10 * STEP_MS, 30);
  for (const cursor of [NOW - 7 * DAY, NOW - 2 * DAY, NOW]) await insert('crowd.b', cursor - STEP_MS, 1);
  await insert('crowd.b', NOW - 6 * DAY, CROWD);
  await insert('crowd.c', NOW - 20 * HOUR, CROWD);
}

/** Delivered ones, and deliveries to functions of the host, with a few failing or waiting ones long before them. */
async function deliveryCrowds(): Promise<void> {
  const insert = (type: string, status: string, since: number, count: number, isWebhook = true): Promise<unknown> =>
    pool.query(
      `insert into "${schema}".deliveries (partner_id, mode, id, event_id, event_type, status, is_webhook, created_at, row)
       select $1, $2, lpad(to_hex($3::bigint + n * ${STEP_MS}), 12, '0') || substr(md5($4 || $5 || $6), 1, 12), $4::text || '-' || ($3::bigint + n * ${STEP_MS}),
         $4, $5, $6::boolean, $3::bigint + n * ${STEP_MS}, '{}'
       from generate_series(1, $7::int) n`,
      [partnerId, mode, since, type, status, String(isWebhook), count],
    );
  for (const status of ['dead_lettered', 'retrying', 'pending']) {
    await insert('rare.a', status, NOW - 8 * DAY, 3);
    await insert('crowd.b', status, NOW - 7 * DAY - 2 * HOUR, 30);
  }
  await pool.query(
    `insert into "${schema}".delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
     select id, partner_id, mode, case status when 'pending' then 'first' else 'retry' end, partner_id || '/' || mode || '/webhook', event_id, 0, 0
     from "${schema}".deliveries where status in ('pending', 'retrying')
     union all
     select 'other-' || n, 'others', $1, 'first', 'others/' || $1 || '/webhook', 'e', 0, 0 from generate_series(1, ${CROWD}) n`,
    [mode],
  );
  await insert('crowd.b', 'delivered', NOW - 6 * DAY, CROWD);
  await insert('rare.a', 'delivered', NOW - 5 * DAY, 3);
  await insert('crowd.b', 'delivered', NOW - 3 * DAY, CROWD, false);
  await insert('crowd.c', 'delivered', NOW - 20 * HOUR, CROWD);
  await insert('crowd.c', 'retrying', NOW - 10 * HOUR, CROWD, false);
}

async function documentCrowds(): Promise<void> {
  const insert = (noun: string, group: string | null, since: number, count: number): Promise<unknown> =>
    pool.query(
      `insert into "${schema}".documents (partner_id, mode, noun, id, version, group_key, created_at, body)
       select $1, $2, $4, lpad(to_hex($3::bigint + n * ${STEP_MS}), 12, '0') || lpad(to_hex(n), 12, '0'), 1, $5, $3::bigint + n * ${STEP_MS}, '{}'
       from generate_series(1, $6::int) n`,
      [partnerId, mode, since, noun, group, count],
    );
  await insert('rare', 'few', NOW - 8 * DAY, 3);
  await insert('crowd', 'few', NOW - 7 * DAY, 30);
  await insert('crowd', 'many', NOW - 6 * DAY, CROWD);
  await insert('other', null, NOW - 6 * DAY, CROWD);
  await insert('crowd', 'many', NOW - 20 * HOUR, CROWD);
}

function objectIdOf(instant: number): string {
  return instant.toString(16).padStart(12, '0') + '0'.repeat(12);
}

function refidOf(instant: number): string {
  return `gtx_${(instant * 4).toString(32).padStart(10, '0')}${'0'.repeat(10)}`;
}

/** This store has counts of its own. */
function countsOf({ counts }: Pick<Store, 'counts'>): StoreCounts {
  if (counts === undefined) throw new Error('The store has no counts.');
  return counts;
}
