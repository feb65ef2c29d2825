import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisRateLimits } from '@gateramp/adapters-limits-redis';
import { redisScheduler } from '@gateramp/adapters-queue-redis';
import { describeLaws, rateLimitsLaws, schedulerLaws } from '@gateramp/conformance';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCertificate } from '../../../tests/services/certificate.js';
import { startRedis, type TestRedis } from '../../../tests/services/redis.js';
import { createScratchDatabase, type ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { openRedis } from '../src/redis/open-redis.js';
import { MASTER_KEY } from './master-keys.js';
import { buyOnce, call, eventually, hooksOf, readyServer, type ReadyServer } from './running-server.js';

/** What docs/operating.md says that the user of the server needs. */
const ACL = '~gateramp:* +@read +@write +@scripting +@connection +@transaction +info';
const PASSWORD = 'p@ss:w0rd/of gate';

const certificate = createCertificate();
const other = createCertificate();
const misnamed = createCertificate('DNS:redis.example');
let redis: TestRedis;
let plain: TestRedis;
let elsewhere: TestRedis;

beforeAll(async () => {
  const lines = ['user default off', `user gate on #${sha256(PASSWORD)} ${ACL}`, 'user admin on nopass ~* +@all'];
  [redis, plain, elsewhere] = await Promise.all([
    startRedis({ tls: certificate, lines }),
    startRedis(),
    startRedis({ tls: misnamed }),
  ]);
});
afterAll(async () => {
  await Promise.all([redis, plain, elsewhere].map(({ stop }) => stop()));
  for (const { remove } of [certificate, other, misnamed]) remove();
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface UrlOptions {
  readonly at?: TestRedis;
  readonly scheme?: string;
  readonly password?: string;
  readonly authority?: string | null;
}

function urlOf({ at = redis, scheme = 'rediss', password = PASSWORD, authority }: UrlOptions = {}): string {
  const file = authority === undefined ? certificate.certificate : authority;
  const place = `${scheme}://gate:${encodeURIComponent(password)}@127.0.0.1:${at.port}`;
  return file === null ? place : `${place}?sslrootcert=${file}`;
}

const elapse = (ms: number): Promise<void> => sleep(ms + 10).then(() => undefined);

/** The connection of the server to Redis, which waits longer: a machine that is slow for a moment must not break a law. */
function patientRedis(): Redis {
  const opened = openRedis(urlOf());
  const patient = opened.duplicate({ connectTimeout: 60_000, maxRetriesPerRequest: null });
  patient.on('error', () => undefined);
  opened.disconnect();
  return patient;
}

describe('over TLS with an ACL user', () => {
  const scheduler = {
    async create() {
      const connection = patientRedis();
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const made = redisScheduler(connection, { prefix: `gateramp:${randomUUID()}`, onError });
      const complaints = (): unknown[] => errors.filter((error) => !String(error).includes('The store is down.'));
      return {
        scheduler: made,
        // Waits in real time, and then for a few turns of Redis and of this process, in case one of them was paused.
        elapse: async (ms: number) => {
          await elapse(ms);
          for (let turn = 0; turn < 3; turn += 1) {
            await connection.ping();
            await sleep(20);
          }
        },
        close: async () => {
          await made.close(0);
          connection.disconnect();
          expect(complaints()).toEqual([]);
        },
      };
    },
  };
  describeLaws(schedulerLaws, scheduler, { describe, it: it.concurrent });

  const limits = {
    async create() {
      const connection = patientRedis();
      const errors: unknown[] = [];
      const made = redisRateLimits(connection, {
        prefix: `gateramp:${randomUUID()}`,
        answerMaxMs: 60_000,
        onError: (error) => errors.push(error),
      });
      await new Promise<void>((resolve) => connection.once('ready', () => resolve()));
      return { limits: made, elapse, close: async () => (connection.disconnect(), expect(errors).toEqual([])) };
    },
  };
  describeLaws(rateLimitsLaws, limits, { describe, it: it.concurrent });
});

describe('the server with REDIS_URL=rediss://…', () => {
  let database: ScratchDatabase;
  const servers: ReadyServer[] = [];
  beforeAll(async () => {
    database = await createScratchDatabase();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.process.kill('SIGKILL');
      await server.exited;
    }
  });
  afterAll(() => database.drop());

  const serve = async (url: string, role: 'api' | 'worker' | 'all' = 'all'): Promise<ReadyServer> => {
    const server = await readyServer({
      DATABASE_URL: database.url,
      GATE_MASTER_KEY: MASTER_KEY,
      GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
      GATE_ROLE: role,
      REDIS_URL: url,
    });
    servers.push(server);
    return server;
  };
  const redisOf = async ({ origins }: ReadyServer): Promise<unknown> =>
    (await call(`${origins.ops}/ready`)).json['redis'];

  it('counts requests there, and wakes a worker in another process', async () => {
    const [api, worker] = [await serve(urlOf(), 'api'), await serve(urlOf(), 'worker')];
    const session = await buyOnce(api.origins);
    await eventually(async () => {
      const hooks = await hooksOf(api.origins.demo, session);
      return hooks.some(({ type }) => type === 'gate_session.completed') ? true : null;
    });
    const admin = new Redis(redis.port, { username: 'admin', password: 'any', tls: { rejectUnauthorized: false } });
    expect(await admin.keys('gateramp:limits:*')).not.toEqual([]);
    const used = await admin.info('commandstats');
    admin.disconnect();
    for (const command of ['rpush', 'blpop', 'incrby'])
      expect(used).toMatch(new RegExp(`cmdstat_${command}:calls=[1-9]`));
    await expect.poll(async () => [await redisOf(api), await redisOf(worker)]).toEqual(['ok', 'ok']);
    // Slow answers of Redis on a busy machine are logged as errors, and are not the subject of this test.
    const reported = `${api.stderr()}${worker.stderr()}`.split('\n').filter((line) => /"level":[56]0/.test(line));
    expect(reported.filter((line) => !line.includes('did not answer within'))).toEqual([]);
  });

  it.each<[string, () => string, RegExp]>([
    ['a wrong password', () => urlOf({ password: 'hunter2' }), /refuses the user name or the password\./],
    ['an unknown authority', () => urlOf({ authority: other.certificate }), /is not signed by a known authority \(/],
    [
      'a certificate of another host',
      () => urlOf({ at: elsewhere, authority: misnamed.certificate }),
      /presents a certificate for a different host name/,
    ],
    ['TLS at a port without TLS', () => urlOf({ at: plain }), /does not complete a TLS handshake \(ETIMEDOUT\)/],
    [
      'no TLS at a TLS port',
      () => urlOf({ scheme: 'redis', authority: null }),
      /closes the connection \(E[A-Z]+\)\. Where the port expects TLS/,
    ],
    [
      'no password',
      () => `rediss://127.0.0.1:${redis.port}?sslrootcert=${certificate.certificate}`,
      /needs a password/,
    ],
  ])('works without Redis at %s, and says why', async (_, url, reason) => {
    const server = await serve(url());
    await eventually(async () => (reason.test(server.stderr()) ? true : null));
    expect(server.stderr()).toMatch(/REDIS_URL: Redis at 127\.0\.0\.1:\d+ /);
    expect(server.stderr()).not.toMatch(/hunter2|p@ss|p%40ss/);
    await expect.poll(() => redisOf(server)).toBe('degraded');
    const session = await buyOnce(server.origins);
    await eventually(async () => ((await hooksOf(server.origins.demo, session)).length > 0 ? true : null));
  });

  it('does not start without the file of the authority, or with one and no TLS', async () => {
    await expect(serve(urlOf({ scheme: 'redis' }))).rejects.toThrow(
      'REDIS_URL: sslrootcert is for TLS, so the URL must begin with rediss.',
    );
    await expect(serve(urlOf({ authority: '/nowhere/ca.pem' }))).rejects.toThrow(
      'REDIS_URL: cannot read the file of sslrootcert, "/nowhere/ca.pem" (ENOENT).',
    );
  });
});
