import { describeLaws } from '@gateramp/conformance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MASTER_KEY } from '../../../apps/reference-server/test/master-keys.js';
import { buyOnce, call, eventually, hooksOf, readyServer } from '../../../apps/reference-server/test/running-server.js';
import {
  openDatabase,
  QUERY_TIMEOUT_MS,
  type OpenDatabase,
} from '../../../apps/reference-server/src/database/open-database.js';
import { fastifySubject } from '../../../packages/adapters-http-fastify/test/fastify-subject.js';
import { postgresSubject } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { startPgBouncer } from '../../services/pgbouncer.js';
import { createScratchDatabase, type ScratchDatabase } from '../../services/scratch-database.js';
import { httpContractLaws } from '../index.js';
import { pooledServers } from '../server-pool.js';

/** The whole wire contract on the connections of the reference server, which PgBouncer gives to another client after each transaction. */
let scratch: ScratchDatabase;
let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
let database: OpenDatabase;
const faults: unknown[] = [];
const http = pooledServers(fastifySubject());

beforeAll(async () => {
  scratch = await createScratchDatabase();
  pooler = await startPgBouncer(scratch.url, { default_pool_size: 4 });
  const config = { url: pooler.url, connectionsMax: 16, isBehindProxy: true, isDistributed: false };
  database = openDatabase(config, 'gateramp contract', (error) => faults.push(error));
});
afterAll(async () => {
  await http.closeAll();
  await database.close();
  await pooler.stop();
  await scratch.drop();
  expect(faults).toEqual([]);
});

const store = postgresSubject(() => database.pool, { queryTimeoutMs: QUERY_TIMEOUT_MS, preparedStatements: false });
describeLaws(httpContractLaws, { ...http, store: () => store.create() }, { describe, it: it.concurrent });

describe('the reference server through PgBouncer in transaction mode', () => {
  it('sells, and delivers from another process', async () => {
    const settings = {
      DATABASE_URL: pooler.url,
      GATE_DATABASE_PROXY: 'on',
      GATE_MASTER_KEY: MASTER_KEY,
      GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
      GATE_RATE_LIMITS: 'off',
    };
    const api = await readyServer({ ...settings, GATE_ROLE: 'api' });
    const worker = await readyServer({ ...settings, GATE_ROLE: 'worker' });
    const sessions = await Promise.all(Array.from({ length: 24 }, () => buyOnce(api.origins)));
    await eventually(async () => {
      const types = await Promise.all(sessions.map((id) => hooksOf(api.origins.demo, id)));
      return types.every((hooks) => hooks.some(({ type }) => type === 'gate_session.completed')) ? true : null;
    });
    for (const { origins } of [api, worker]) {
      const readiness = async () => (await call(`${origins.ops}/ready`)).json;
      await expect.poll(readiness).toMatchObject({ status: 'ready', database: 'ok' });
    }
    for (const server of [api, worker]) {
      server.process.kill('SIGTERM');
      expect(await server.exited).toBe(0);
      expect(server.stderr()).not.toMatch(/"level":[56]0/);
    }
  });
});
