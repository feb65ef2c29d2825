import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../../tests/services/postgres.js';
import { startRedis } from '../../../tests/services/redis.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { call, eventually, readyServer, type Json, type ReadyServer } from './running-server.js';
import { MASTER_KEY } from './master-keys.js';

const SERIES = [
  'gate_info',
  'gate_http_requests_total',
  'gate_http_request_duration_seconds_bucket',
  'gate_http_requests_in_flight',
  'gate_commits_total',
  'gate_commit_duration_seconds_bucket',
  'gate_commit_batch_size_bucket',
  'gate_delivery_attempts_total',
  'gate_delivery_attempt_duration_seconds_bucket',
  'gate_first_attempt_wait_seconds_bucket',
  'gate_held_payments_total',
  'gate_lease_losses_total',
  'gate_due_deliveries',
  'gate_overdue_deliveries',
  'gate_due_tasks',
  'gate_overdue_tasks',
  'gate_oldest_due_seconds',
  'gate_held_sessions',
  'gate_alarms_total',
  'gate_payments_total',
  'gate_provider_errors_total',
  'gate_failures_total',
  'gate_rate_limits_degraded',
  'gate_database_up',
  'gate_database_clock_ahead_seconds',
  'gate_database_connections',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'process_resident_memory_bytes',
];

const metricsOf = async ({ origins }: ReadyServer): Promise<string> => (await fetch(`${origins.ops}/metrics`)).text();
const readinessOf = async ({ origins }: ReadyServer): Promise<readonly [number, Json]> => {
  const { status, json } = await call(`${origins.ops}/ready`);
  return [status, json];
};

describe('the operator surface on Postgres and Redis', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let server: ReadyServer;
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    server = await readyServer({ DATABASE_URL: postgres.url, REDIS_URL: redis.url, GATE_MASTER_KEY: MASTER_KEY });
  });
  afterAll(async () => {
    server.process.kill('SIGKILL');
    await Promise.all([postgres.stop(), redis.stop()]);
  });

  const readyWhen = (status: string) =>
    eventually(async () => ((found) => (found[1].status === status ? found : null))(await readinessOf(server)));

  it('is ready while the database answers', async () => {
    expect(await readyWhen('ready')).toEqual([
      200,
      {
        object: 'readiness',
        status: 'ready',
        cause: null,
        database: 'ok',
        redis: 'ok',
        clock: 'ok',
        worker: 'working',
      },
    ]);
  });

  it('counts every named series, by route template and never by path', async () => {
    await call(`${server.origins.sandbox}/v1/gate_sessions/65f0c0ffee65f0c0ffee0001`);
    await call(`${server.origins.sandbox}/made-up/by/a/stranger`);
    await call(`${server.origins.demo}/sell`, { 'sec-fetch-site': 'same-origin' }, {});
    const missingIn = (text: string) => SERIES.filter((name) => !new RegExp(`^${name}[ {]`, 'm').test(text));
    // A database that answers late has no gauges.
    await expect.poll(async () => missingIn(await metricsOf(server))).toEqual([]);
    const text = await metricsOf(server);
    expect(text).toMatch(
      /^gate_http_requests_total\{mode="test",method="GET",route="\/v1\/gate_sessions\/\{id\}",status="401"\} 1$/m,
    );
    expect(text).toMatch(/^gate_http_requests_total\{mode="test",method="GET",route="none",status="404"\} 1$/m);
    expect(text).toMatch(/^gate_commits_total\{outcome="committed"\} [1-9]/m);
    expect(text).toMatch(/^gate_commit_batch_size_count [1-9]/m);
    expect(text).toMatch(
      /^gate_info\{role="all",store="postgres",scheduler="redis",version="\d+\.\d+\.\d+[^"]*"\} 1$/m,
    );
    expect(text).not.toContain('stranger');
  });

  it('stays ready without Redis, and says that it is degraded', async () => {
    await redis.kill();
    expect(await readyWhen('degraded')).toEqual([
      200,
      {
        object: 'readiness',
        status: 'degraded',
        cause: 'redis_unavailable',
        database: 'ok',
        redis: 'degraded',
        clock: 'ok',
        worker: 'working',
      },
    ]);
    expect((await call(`${server.origins.sandbox}/health`)).status).toBe(200);
    await redis.start();
    expect((await readyWhen('ready'))[0]).toBe(200);
  });

  it('calls a database that takes no writes an outage: not ready, and 503 to requests that write', async () => {
    await setReadOnly('on');
    expect(await readyWhen('unavailable')).toEqual([
      503,
      {
        object: 'readiness',
        status: 'unavailable',
        cause: 'database_read_only',
        database: 'down',
        redis: 'ok',
        clock: 'ok',
        worker: 'working',
      },
    ]);
    expect(await metricsOf(server)).toMatch(/^gate_database_up 0$/m);
    const shop = server.origins.demo;
    const body = { amount: '1.00', currency: 'EUR', return_url: `${shop}/` };
    const refused = await call(
      `${server.origins.sandbox}/v1/gate_sessions`,
      { authorization: `Bearer ${DEMO_KEYS.secret}`, 'idempotency-key': 'k' },
      body,
    );
    expect([refused.status, refused.json.code]).toEqual([503, 'service_unavailable']);
    await setReadOnly('off');
    expect((await readyWhen('ready'))[0]).toBe(200);
    expect((await call(`${shop}/sell`, { 'sec-fetch-site': 'same-origin' }, {})).status).toBe(200);
  });

  it('is not ready while commits wait for a lock, and by itself once it is free', async () => {
    const holder = new pg.Client({ connectionString: postgres.url });
    await holder.connect();
    await holder.query('begin; lock table gateramp.sessions in access exclusive mode');
    expect((await readyWhen('unavailable'))[0]).toBe(503);
    await holder.query('rollback');
    await holder.end();
    expect((await readyWhen('ready'))[0]).toBe(200);
  });

  /** Like a standby, or a primary that was demoted. */
  async function setReadOnly(state: 'on' | 'off'): Promise<void> {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`alter system set default_transaction_read_only = ${state}`);
    await client.query('select pg_reload_conf()');
    await client.end();
  }

  it('answers 503 while the database is away, stays alive and counts on, and comes back by itself', async () => {
    await postgres.kill();
    expect(await readyWhen('unavailable')).toEqual([
      503,
      {
        object: 'readiness',
        status: 'unavailable',
        cause: 'database_unreachable',
        database: 'down',
        redis: 'ok',
        clock: 'ok',
        worker: 'working',
      },
    ]);
    expect((await call(`${server.origins.ops}/health`)).status).toBe(200);
    const text = await metricsOf(server);
    expect(text).toMatch(/^gate_database_up 0$/m);
    expect(text).not.toMatch(/^gate_due_deliveries\{/m);
    await postgres.start();
    expect((await readyWhen('ready'))[0]).toBe(200);
    expect(server.process.exitCode).toBeNull();
  });
});

describe('the operator surface in memory', () => {
  it('is ready with an embedded store, and has only what operators ask for', async () => {
    const server = await readyServer({});
    expect(await readinessOf(server)).toEqual([
      200,
      {
        object: 'readiness',
        status: 'ready',
        cause: null,
        database: 'embedded',
        redis: 'unused',
        clock: 'ok',
        worker: 'working',
      },
    ]);
    expect(await metricsOf(server)).toMatch(/^gate_oldest_due_seconds\{mode="test"\} 0$/m);
    expect((await call(`${server.origins.ops}/elsewhere`)).status).toBe(404);
    server.process.kill('SIGKILL');
  });
});
