import pg from 'pg';
import { migrate, postgresStore } from '@gateramp/adapters-store-postgres';
import { startPostgres } from '../../tests/services/postgres.ts';

const FEW = 10_000;
const MANY = 1_000_000;
const SCOPE = { partnerId: '65f0c0ffee65f0c0ffee0001', mode: 'test' };
const NO_FILTER = {
  status: null,
  flow: null,
  currency: null,
  userReference: null,
  createdAfter: null,
  createdBefore: null,
};

/** A list page at 10^6 sessions against the same at 10^4: deep in the list, after a cursor. */
export async function benchLists({ rounds }) {
  const postgres = await startPostgres({ tuning: { shared_buffers: '1GB', max_wal_size: '8GB', fsync: 'off' } });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  pool.on('error', () => undefined);
  try {
    const few = await filled(pool, 'few', FEW);
    const many = await filled(pool, 'many', MANY);
    const times = { few: [], many: [] };
    for (let round = 0; round < rounds; round += 1) {
      times.few.push(await pageTime(few, FEW));
      times.many.push(await pageTime(many, MANY));
    }
    const ratio = median(times.many) / median(times.few);
    const passed = ratio <= 1.2;
    process.stdout.write(
      `${passed ? 'ok  ' : 'MISS'} Lists: page at 10^6 sessions: ${ratio.toFixed(2)} × the time at 10^4 (at most 1.2, aim 1.0) · ` +
        `${median(times.many).toFixed(2)} ms against ${median(times.few).toFixed(2)} ms\n`,
    );
    return [{ title: 'list page', ratio, passed }];
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

/** Rows as the engine would have written them, made by the server itself: a million creates would take minutes. */
async function filled(pool, schema, count) {
  await migrate(pool, { schema });
  const row = {
    ...SCOPE,
    status: 'open',
    terms: { flow: null, amount: '100.00', currency: 'EUR' },
    metadata: '{}',
    pad: 'x'.repeat(400),
  };
  await pool.query(
    `insert into "${schema}".sessions (partner_id, mode, id, version, status, flow, currency, user_reference, created_at, expires_at, is_held, row)
     select $1, $2, lpad(to_hex(n), 24, '0'), 1, 'open', null, 'EUR', null, n, 9000000000000, false, $3::json from generate_series(1, $4::int) n`,
    [SCOPE.partnerId, SCOPE.mode, JSON.stringify(row), count],
  );
  await pool.query(`vacuum analyze "${schema}".sessions`);
  return postgresStore(pool, { schema });
}

/** Milliseconds a page, over pages spread through the whole list. */
async function pageTime(store, count) {
  const pages = 400;
  const began = performance.now();
  for (let n = 1; n <= pages; n += 1) {
    const id = Math.floor((count / (pages + 1)) * n)
      .toString(16)
      .padStart(24, '0');
    const found = await store.list('session', SCOPE, NO_FILTER, { limit: 100, start: { kind: 'after', id } }, 1_000);
    if (found.length === 0) throw new Error('A page is empty.');
  }
  return (performance.now() - began) / pages;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
