import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { call, readyServer } from './running-server.js';
import { MASTER_KEY, scratchDatabase, type ScratchDatabase } from './scratch-database.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;

let database: ScratchDatabase;
beforeAll(async () => {
  database = await scratchDatabase();
  await setAnHourAhead(database.url);
}, 60_000);
afterAll(() => database.drop());

/** What asks this database for the time is told it by a function that comes before Postgres's own. */
async function setAnHourAhead(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    create schema ahead;
    create function ahead.clock_timestamp() returns timestamptz language sql volatile as $$ select pg_catalog.clock_timestamp() + interval '1 hour' $$;
    alter database ${new URL(url).pathname.slice(1)} set search_path = ahead, pg_catalog`);
  await client.end();
}

it('goes by the time of its database and tells of a machine that is far from it', async () => {
  const server = await readyServer({ DATABASE_URL: database.url, GATE_MASTER_KEY: MASTER_KEY });
  const body = { amount: '100.00', currency: 'EUR', return_url: `${server.origins.demo}/` };
  const headers = { authorization: `Bearer ${DEMO_KEYS.secret}`, 'idempotency-key': crypto.randomUUID() };
  const created = await call(`${server.origins.sandbox}/v1/gate_sessions`, headers, body);
  const metrics = await (await fetch(`${server.origins.ops}/metrics`)).text();
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);

  const ahead = Date.parse(created.json.expires_at ?? '') - 24 * HOUR - Date.now();
  expect(Math.abs(ahead - HOUR)).toBeLessThan(MINUTE);
  expect(metrics).toMatch(/gate_alarms_total\{name="clock_skewed"\} 1\n/);
  expect(server.stderr()).not.toContain('Failure');
});
