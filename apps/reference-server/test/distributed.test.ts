import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@gateramp/adapters-store-postgres';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { distribute } from '../../../packages/adapters-store-citus/test/cluster-layout.js';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { MASTER_KEY } from './master-keys.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { buyOnce, call, readyServer, runServer } from './running-server.js';

const DEMO = { authorization: `Bearer ${DEMO_KEYS.secret}` };

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  onTestFinished(() => pool.end());
  pool.on('error', () => undefined);
  return pool;
}

it('serves a purchase, readiness and gauges on tables with the keys of distribute.sql, and refuses others', async () => {
  const { url } = await scratchDatabase();
  const settings = { DATABASE_URL: url, GATE_MASTER_KEY: MASTER_KEY, GATE_ALLOW_PRIVATE_WEBHOOKS: 'on' };
  const distributed = { ...settings, GATE_DATABASE_DISTRIBUTED: 'on' };
  const early = runServer(distributed);
  expect(await early.exited).toBe(1);
  expect(early.stderr()).toMatch(/GATE_DATABASE_DISTRIBUTED: is on, but the tables are not distributed/);

  const pool = poolOf(url);
  expect(await migrate(pool, { schema: 'gateramp' })).toEqual([]);
  await distribute(pool, 'gateramp');

  const server = await readyServer(distributed);
  onTestFinished(() => void server.process.kill('SIGKILL'));
  const sessionId = await buyOnce(server.origins);
  expect((await call(`${server.origins.sandbox}/v1/gate_sessions/${sessionId}`, DEMO)).json.status).toBe('completed');
  const read = async (path: string) => (await fetch(`${server.origins.ops}${path}`)).text();
  // A database that answers late is down for a moment, and has no gauges.
  const readiness = async () => JSON.parse(await read('/ready')) as object;
  await expect.poll(readiness).toMatchObject({ status: 'ready', database: 'ok' });
  await expect.poll(() => read('/metrics')).toMatch(/^gate_due_tasks\{mode="test"\} \d+$/m);

  const unset = runServer(settings);
  expect(await unset.exited).toBe(1);
  expect(unset.stderr()).toMatch(/Set GATE_DATABASE_DISTRIBUTED=on/);
});

it('GATE_DATABASE_DISTRIBUTED: commands refuse a value that contradicts the tables, and to partition distributed tables', async () => {
  const { settings, database } = await migratedDatabase();
  onTestFinished(() => database.drop());
  const distributed = { ...settings, GATE_DATABASE_DISTRIBUTED: 'on' };
  const early = await runGate('sessions stuck', distributed);
  expect([early.code, early.err]).toEqual([1, expect.stringContaining('is on, but the tables are not distributed')]);

  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await distribute(pool, 'gateramp');
  await pool.end();
  const unset = await runGate('sessions stuck', settings);
  expect([unset.code, unset.err]).toEqual([1, expect.stringContaining('Set GATE_DATABASE_DISTRIBUTED=on')]);
  const partitioned = await runGate('partition plan', distributed);
  expect([partitioned.code, partitioned.err]).toEqual([1, expect.stringContaining('cannot be partitioned by month')]);
  expect((await runGate('sessions stuck', distributed)).code).toBe(0);
});

it('gate move refuses distributed tables, and fills tables that distribute.sql distributes afterwards', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gateramp-distributed-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const inFolder = { GATE_DATA_DIR: dir, GATE_ALLOW_PRIVATE_WEBHOOKS: 'on', GATE_TEST_CLOCK: 'on' };
  const create = (sandbox: string, demo: string) =>
    call(
      `${sandbox}/v1/gate_sessions`,
      { ...DEMO, 'idempotency-key': 'of-the-folder' },
      { amount: '100.00', currency: 'EUR', return_url: `${demo}/` },
    );
  const first = await readyServer(inFolder);
  onTestFinished(() => void first.process.kill('SIGKILL'));
  const created = await create(first.origins.sandbox, first.origins.demo);
  expect(created.status).toBe(201);
  const sessionId = await buyOnce(first.origins);
  first.process.kill('SIGKILL');
  await first.exited;

  const [prepared, target] = [await scratchDatabase(), await scratchDatabase()];
  const early = poolOf(prepared.url);
  await migrate(early, { schema: 'gateramp' });
  await distribute(early, 'gateramp');
  const refused = await runGate(`move --to ${prepared.url}`, inFolder);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('are distributed, and a move cannot fill them'),
  ]);

  expect((await runGate(`move --to ${target.url}`, inFolder)).code).toBe(0);
  await distribute(poolOf(target.url), 'gateramp');
  const second = await readyServer({
    DATABASE_URL: target.url,
    GATE_DATABASE_DISTRIBUTED: 'on',
    GATE_MASTER_KEY: readFileSync(join(dir, 'master.key'), 'utf8').trim(),
    GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
    GATE_TEST_CLOCK: 'on',
    GATE_DEMO_PORT: new URL(first.origins.demo).port,
  });
  onTestFinished(() => void second.process.kill('SIGKILL'));
  const repeated = await create(second.origins.sandbox, first.origins.demo);
  expect([repeated.status, repeated.json]).toEqual([created.status, created.json]);
  const moved = await call(`${second.origins.sandbox}/v1/gate_sessions/${sessionId}`, DEMO);
  expect(moved.json.status).toBe('completed');
  await buyOnce(second.origins);
});
