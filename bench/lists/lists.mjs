import pg from 'pg';
import { migrate, postgresStore } from '@gateramp/adapters-store-postgres';
import { startPostgres } from '../../tests/services/postgres.ts';
import { comparePages, FEW, MANY, ROW, SCOPE } from './page-time.mjs';

/** Compares a list page at 10^6 sessions with the same at 10^4. */
export async function benchLists({ rounds }) {
  const postgres = await startPostgres({ tuning: { shared_buffers: '1GB', max_wal_size: '8GB', fsync: 'off' } });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  pool.on('error', () => undefined);
  try {
    const few = await filled(pool, 'few', FEW);
    const many = await filled(pool, 'many', MANY);
    return [await comparePages({ title: 'Lists', few, many, rounds, atMost: 1.2 })];
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

/** Fills a schema with rows that Postgres generates, because a million creates would take minutes. */
async function filled(pool, schema, count) {
  await migrate(pool, { schema });
  await pool.query(
    `insert into "${schema}".sessions (partner_id, mode, id, version, status, flow, currency, user_reference, created_at, expires_at, is_held, row)
     select $1, $2, lpad(to_hex(n), 24, '0'), 1, 'open', null, 'EUR', null, n, 9000000000000, false, $3::json from generate_series(1, $4::int) n`,
    [SCOPE.partnerId, SCOPE.mode, JSON.stringify(ROW), count],
  );
  await pool.query(`vacuum analyze "${schema}".sessions`);
  return postgresStore(pool, { schema });
}
