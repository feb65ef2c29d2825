import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import pg from 'pg';
import { changes, rows } from '@gateramp/conformance';
import { DEFAULT_POLICY } from '@gateramp/core';
import { recordDeliveryAttempt } from '@gateramp/core/domain';
import { migrate, postgresPartitions, postgresStore } from '@gateramp/adapters-store-postgres';
import { startPostgres } from '../../tests/services/postgres.ts';
import { FEW, ROW, SCOPE } from '../lists/page-time.mjs';
import { benchGate, PARTNER } from '../servers/gate.mjs';

const MANY = Number(process.env.BENCH_SESSIONS ?? 10_000_000);
const MONTHS = 12;
const AT_MOST = 1.2;
const IDS = 500;
const PAGES = 150;
const CREATES = 1_000;
const PURCHASES = 320;
const DELIVERIES = 500;
const CONCURRENCY = 16;

/**
 * Compares 10^7 sessions, with an event each, in twelve months of partitions with 10^4 in tables without partitions: retrieving,
 * listing and creating one, beginning its purchase, and the store's part of a delivery. Both are used in turn on the same Postgres.
 */
export async function benchPartitions({ rounds }) {
  const postgres = await startPostgres({
    tuning: {
      shared_buffers: '2GB',
      max_wal_size: '16GB',
      fsync: 'off',
      autovacuum: 'off',
      maintenance_work_mem: '512MB',
    },
  });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 8 });
  pool.on('error', () => undefined);
  try {
    const few = await filled(pool, 'few', FEW, false);
    const began = performance.now();
    const many = await filled(pool, 'many', MANY, true);
    const sizes = await pool.query('select pg_size_pretty(pg_database_size(current_database())) as size');
    process.stdout.write(`filled in ${Math.round((performance.now() - began) / 1000)} s: ${sizes.rows[0].size}\n`);
    const results = [];
    for (const [title, measure] of Object.entries(WORK)) {
      const times = { few: [], many: [] };
      await Promise.all([measure(few), measure(many)]);
      for (let round = 0; round < 3 * rounds; round += 1) {
        times.few.push(await timed(measure, few));
        times.many.push(await timed(measure, many));
      }
      const ratio = median(times.many.map((time, nth) => time / times.few[nth]));
      const passed = ratio <= AT_MOST;
      process.stdout.write(
        `${passed ? 'ok  ' : 'MISS'} Partitions: ${title} at ${MANY} sessions in ${MONTHS} months: ${ratio.toFixed(2)} × the time at 10^4 without ` +
          `(at most ${AT_MOST}) · ${median(times.many).toFixed(3)} ms against ${median(times.few).toFixed(3)} ms\n`,
      );
      results.push({ title, ratio, passed });
    }
    process.stdout.write(
      `load average ${loadavg()
        .map((load) => load.toFixed(1))
        .join(', ')}\n`,
    );
    return results;
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

const NO_FILTER = {
  status: null,
  flow: null,
  currency: null,
  userReference: null,
  createdAfter: null,
  createdBefore: null,
};
const NO_EVENT_FILTER = { type: null, sessionId: null, createdAfter: null, createdBefore: null };
const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

/** Each returns the number of operations. */
const WORK = {
  async retrieve({ store, ids }) {
    for (const id of ids)
      if ((await store.find('session', SCOPE, id)) === null) throw new Error('A session is missing.');
    return ids.length;
  },
  async 'first page'({ store }) {
    for (let page = 0; page < PAGES; page += 1)
      await store.list('session', SCOPE, NO_FILTER, { limit: 20, start: { kind: 'newest' } }, Date.now());
    return PAGES;
  },
  async 'page after a cursor'({ store, ids }) {
    for (const id of ids.slice(0, PAGES))
      await store.list('session', SCOPE, NO_FILTER, { limit: 20, start: { kind: 'after', id } }, Date.now());
    return PAGES;
  },
  async 'page of a status'({ store, ids }) {
    for (const id of ids.slice(0, PAGES))
      await store.list(
        'session',
        SCOPE,
        { ...NO_FILTER, status: 'completed' },
        { limit: 20, start: { kind: 'after', id } },
        Date.now(),
      );
    return PAGES;
  },
  async 'first page of a status'({ store }) {
    for (let page = 0; page < PAGES; page += 1)
      await store.list(
        'session',
        SCOPE,
        { ...NO_FILTER, status: 'completed' },
        { limit: 20, start: { kind: 'newest' } },
        Date.now(),
      );
    return PAGES;
  },
  async 'page of events'({ store, ids }) {
    for (const id of ids.slice(0, PAGES))
      await store.list('event', SCOPE, NO_EVENT_FILTER, { limit: 20, start: { kind: 'after', id: eventIdOf(id) } });
    return PAGES;
  },
  async create({ gate }) {
    for (let left = CREATES; left > 0; left -= CONCURRENCY)
      await Promise.all(
        Array.from({ length: CONCURRENCY }, () => gate.sessions.create({ partnerId: PARTNER.id, mode: 'test' }, BODY)),
      );
    return CREATES;
  },
  async 'begin a purchase'({ store }) {
    for (let left = PURCHASES; left > 0; left -= CONCURRENCY)
      await Promise.all(
        Array.from({ length: CONCURRENCY }, async () => {
          const at = Date.now();
          const { session, change } = changes.sessionCreation({ at });
          await committed(store, change);
          await committed(store, changes.beginning(session, rows.aPurchase(session, at), at));
        }),
      );
    return PURCHASES;
  },
  async 'claim and record a delivery'({ store }) {
    let recorded = 0;
    while (recorded < DELIVERIES) {
      const token = randomUUID();
      const now = Date.now();
      const claimed = await store.claim('delivery', {
        now: { test: now, live: now },
        lane: 'first',
        limit: 50,
        perEndpoint: 50,
        leaseMs: 60_000,
        token,
      });
      if (claimed.length === 0) throw new Error('No delivery is due.');
      await Promise.all(
        claimed.map(({ delivery }) => {
          const { delivery: next, attempt } = recordDeliveryAttempt(delivery, DELIVERED, now, DEFAULT_POLICY);
          return store.recordDelivery({ leaseToken: token, next, attempt });
        }),
      );
      recorded += claimed.length;
    }
    return recorded;
  },
};

const DELIVERED = {
  url: 'https://shop.example/hooks',
  startedAt: 1,
  durationMs: 12,
  responseStatus: 200,
  responseBody: 'ok',
  error: null,
};

async function committed(store, change) {
  const { kind } = await store.commit(change);
  if (kind !== 'committed') throw new Error(`A commit was answered with ${kind}.`);
}

async function timed(measure, side) {
  const began = performance.now();
  const count = await measure(side);
  return (performance.now() - began) / count;
}

async function filled(pool, schema, count, partitioned) {
  await migrate(pool, { schema });
  const store = postgresStore(pool, { schema, preparedStatements: true });
  const gate = await benchGate(store);
  const starts = Array.from({ length: MONTHS }, (_, nth) => monthsAgo(MONTHS - 1 - nth));
  if (partitioned) {
    const partitions = postgresPartitions(pool, { schema });
    await partitions.on(starts[0] - 1);
    for (const start of starts) await partitions.premake(start + 1);
  }
  const perMonth = Math.ceil(count / MONTHS);
  for (const [nth, start] of starts.entries()) {
    const end = Math.min(starts[nth + 1] ?? Infinity, Date.now() - 1_000);
    await pool.query(FILL(schema), [
      SCOPE.partnerId,
      SCOPE.mode,
      JSON.stringify({ ...ROW, status: 'completed' }),
      perMonth,
      start,
      (end - start) / perMonth,
      BODY_OF_EVENT,
    ]);
  }
  for (const table of ['sessions', 'events', 'event_keys']) await pool.query(`vacuum analyze "${schema}".${table}`);
  await pool.query('checkpoint');
  const { rows: found } = await pool.query(
    `select id from (select lpad(to_hex(($1::float8 + n * ($2::float8 - $1::float8) / $3)::bigint), 12, '0') as at from generate_series(1, $3::int) n) t
     cross join lateral (select id from "${schema}".sessions where partner_id = $4 and mode = $5 and id > t.at order by id limit 1) s`,
    [starts[0], Date.now() - 60_000, IDS, SCOPE.partnerId, SCOPE.mode],
  );
  return { store, gate, ids: found.map(({ id }) => id) };
}

const BODY_OF_EVENT = JSON.stringify({ object: 'event', data: { object: 'gate_session', pad: 'x'.repeat(500) } });

const FILL = (schema) => `with made as (
    select lpad(to_hex(($5::float8 + n * $6::float8)::bigint), 12, '0') as time, ($5::float8 + n * $6::float8)::bigint as at,
      lpad(to_hex(n), 12, '0') as tail from generate_series(1, $4::int) n),
  opened as (
    insert into "${schema}".sessions (partner_id, mode, id, version, status, flow, currency, user_reference, created_at, expires_at, is_held, row)
    select $1, $2, time || tail, 2, 'completed', 'on_ramp', 'EUR', null, at, at + 3600000, false, $3::json from made)
  insert into "${schema}".events (id, partner_id, mode, session_id, sequence, type, created_at, body)
  select left(time, 8) || '-' || right(time, 4) || '-7' || left(tail, 3) || '-8' || substr(tail, 4, 3) || '-' || tail,
    $1, $2, time || tail, 1, 'gate_session.created', at, $7 from made`;

/** The id that `FILL` gives to the event of a session. */
function eventIdOf(id) {
  const [time, tail] = [id.slice(0, 12), id.slice(12)];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail}`;
}

function monthsAgo(count) {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
