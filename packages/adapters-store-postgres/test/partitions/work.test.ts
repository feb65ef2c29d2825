import { changes, rows } from '@gateramp/conformance';
import { DEFAULT_POLICY } from '@gateramp/core';
import { DAY, type GateEvent, type Instant, recordDeliveryAttempt } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { scratchDatabase } from '../../../../tests/services/scratch-database.js';
import { postgresStore } from '../patient-store.js';
import { partitionedSchema } from './partitioned-schema.js';

const MONTH = 31 * DAY;
const BORDERS = [0, 1, 2, 3].map((month) => rows.T0 + month * MONTH);
const LATER = rows.T0 + 10 * MONTH;
const ATTEMPT = {
  url: 'https://shop.example/hooks',
  startedAt: 1,
  durationMs: 1,
  responseStatus: 200,
  responseBody: '',
  error: null,
};

/** A store in partitions on one connection, in a database without other users. */
async function aStore(): Promise<{ readonly pool: pg.Pool; readonly schema: string; readonly store: Store }> {
  const { url } = await scratchDatabase();
  const making = new pg.Pool({ connectionString: url, max: 4 });
  const schema = await partitionedSchema(making, BORDERS);
  await making.end();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  onTestFinished(() => pool.end());
  return { pool, schema, store: postgresStore(pool, { schema }) };
}

async function commitEventAt(store: Store, at: Instant): Promise<GateEvent> {
  const event = rows.aPartnerEvent(rows.ACME, at);
  expect(await store.commit(changes.eventOnly(event))).toEqual({ kind: 'committed' });
  return event;
}

/** Claims everything that is due and records it as delivered. Returns the claimed events, the oldest first. */
async function deliverAll(store: Store): Promise<readonly GateEvent[]> {
  const token = rows.aUuid();
  const now = { test: LATER, live: LATER };
  const claimed = await store.claim('delivery', {
    now,
    lane: 'first',
    limit: 50,
    perEndpoint: 50,
    leaseMs: 60_000,
    token,
  });
  for (const { delivery } of claimed) {
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, ATTEMPT, LATER, DEFAULT_POLICY);
    expect(await store.recordDelivery({ leaseToken: token, next, attempt })).toBe('recorded');
  }
  return claimed.map(({ event }) => event).toSorted((one, other) => one.createdAt - other.createdAt);
}

it('claims and records of deliveries search only the partitions of their rows', async () => {
  const { pool, schema, store } = await aStore();
  const searches = async (): Promise<ReadonlyMap<string, number>> => {
    await pool.query('select pg_stat_force_next_flush()');
    await pool.query('select pg_stat_clear_snapshot()');
    const { rows: found } = await pool.query<{ name: string; searches: number }>(
      `select relname as name, (coalesce(idx_scan, 0) + seq_scan)::int as searches from pg_stat_user_tables
       where schemaname = $1 and relname ~ '^(events|deliveries)_[0-9rb]'`,
      [schema],
    );
    return new Map(found.map(({ name, searches: count }) => [name, count]));
  };
  const event = await commitEventAt(store, rows.T0 + 1.5 * MONTH);
  const before = await searches();
  expect(await deliverAll(store)).toEqual([event]);
  const after = await searches();
  const searched = [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
  expect(searched.toSorted()).toEqual([`deliveries_${BORDERS[1]}`, `events_${BORDERS[1]}`]);
});

it('one claim returns deliveries of several partitions', async () => {
  const { store } = await aStore();
  const events: GateEvent[] = [];
  for (const month of [0.5, 1.5, 2.5, 4.5]) events.push(await commitEventAt(store, rows.T0 + month * MONTH));
  expect(await deliverAll(store)).toEqual(events);
});

it('a claim returns the events of its deliveries also if some or all events have no keys', async () => {
  const { pool, schema, store } = await aStore();
  const events = [await commitEventAt(store, rows.T0 + 0.5 * MONTH), await commitEventAt(store, rows.T0 + 1.5 * MONTH)];
  await pool.query(`delete from "${schema}".event_keys where id = $1`, [events[0]?.id]);
  expect(await deliverAll(store)).toEqual(events);
  events.push(await commitEventAt(store, rows.T0 + 2.5 * MONTH));
  await pool.query(`delete from "${schema}".event_keys`);
  expect(await deliverAll(store)).toEqual(events.slice(2));
});
