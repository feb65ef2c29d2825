import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { runGate } from './run-gate.js';
import { call, readyServer, runServer, type ReadyServer } from './running-server.js';
import { createScratchDatabase, type ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { MASTER_KEY } from './master-keys.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;

let database: ScratchDatabase;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  database = await createScratchDatabase();
  environment = { DATABASE_URL: database.url, GATE_MASTER_KEY: MASTER_KEY };
  await ask(`
    create schema ahead;
    alter database ${new URL(database.url).pathname.slice(1)} set search_path = ahead, pg_catalog`);
});
afterAll(() => database.drop());

async function ask(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Overrides the time function of this database by one that precedes Postgres's own in the search path. `seconds` is SQL. */
const setAhead = (seconds: string): Promise<void> =>
  ask(`create or replace function ahead.clock_timestamp() returns timestamptz language sql volatile
    as $$ select pg_catalog.clock_timestamp() + (${seconds}) * interval '1 second' $$`);

const create = (server: ReadyServer, key = DEMO_KEYS.secret) =>
  call(
    `${server.origins.sandbox}/v1/gate_sessions`,
    { authorization: `Bearer ${key}`, 'idempotency-key': crypto.randomUUID() },
    { amount: '100.00', currency: 'EUR', return_url: `${server.origins.demo}/` },
  );

async function end(server: ReadyServer): Promise<void> {
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);
}

it.each([
  ['an hour behind', HOUR],
  ['ten minutes ahead', -10 * MINUTE],
  ['three days ahead', -72 * HOUR],
])(
  'a process on a machine that is %s goes by its database from the first request on, and reports it',
  async (_title, ahead) => {
    await setAhead(String(ahead / 1000));
    const server = await readyServer(environment);
    const created = await create(server);
    const metrics = await (await fetch(`${server.origins.ops}/metrics`)).text();
    // A database that answers late is down for a moment.
    const readiness = async () => (await call(`${server.origins.ops}/ready`)).json;
    await expect.poll(readiness).toMatchObject({ status: 'ready', clock: 'ok' });
    await end(server);

    const seen = Date.parse(created.json.expires_at ?? '') - 24 * HOUR - Date.now();
    expect(Math.abs(seen - ahead)).toBeLessThan(5 * MINUTE);
    // Can be reported more than once if the first samples were slow and therefore imprecise.
    expect(metrics).toMatch(/gate_alarms_total\{name="clock_skewed"\} [1-9]/);
    expect(server.stderr()).not.toContain('Failure');
  },
);

it('a process does not start while its database does not give the same time twice', async () => {
  await setAhead('3600 * random()');
  const server = runServer(environment);
  expect(await server.exited).toBe(1);
  expect(server.stderr()).toContain('DATABASE_URL: the database reports no time, or contradictory times.');
});

it('an operator whose machine is an hour ahead revokes a key at once; what is written down is the time of the database', async () => {
  await setAhead('-3600');
  const server = await readyServer(environment);
  const { out: partner } = await runGate('partners create --name Acme --origin https://shop.example', environment);
  const issued = await runGate(`keys issue --partner ${partner} --mode test --expires 30m`, environment);
  const codeWith = async () =>
    (await call(`${server.origins.sandbox}/v1/gate_sessions`, { authorization: `Bearer ${issued.out}` })).json.code ??
    'ok';
  expect(await codeWith()).toBe('ok');

  const revoked = await runGate(`keys revoke ${issued.out} --yes`, environment);
  const again = await runGate(`keys revoke ${issued.out} --yes`, environment);
  expect(again.out).toBe(revoked.out);
  // The server is another process: it may cache a key for two seconds.
  await expect.poll(codeWith, { interval: 100 }).toBe('revoked_api_key');
  const list = await runGate(`keys list --partner ${partner}`, environment);
  const [, , , , state, createdAt, , expiresAt, revokedAt] = list.out.split('\n')[1]?.split(/ {2,}/) ?? [];
  expect(state).toBe('revoked');
  // Commands are processes, and between the first and this line there are six.
  const off = (text = '', by = 0): number => Math.abs(Date.parse(text) - (Date.now() - HOUR + by));
  for (const difference of [off(createdAt), off(revokedAt), off(expiresAt, 30 * MINUTE)])
    expect(difference).toBeLessThan(10 * MINUTE);
  await end(server);
});
