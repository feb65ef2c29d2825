import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO_KEYS } from '../../../apps/reference-server/src/demo/demo-partner.js';
import { MASTER_KEY } from '../../../apps/reference-server/test/master-keys.js';
import { call, eventually, readyServer, type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { startRedis, startSentinel, type TestRedis } from '../../services/redis.js';
import { createScratchDatabase, type ScratchDatabase } from '../../services/scratch-database.js';

const PASSWORD = 'of-the-data';
const SENTINEL_PASSWORD = 'of-the-sentinels';
const NAME = 'gate-redis';
const BUYERS = 4;

let primary: TestRedis;
let replica: TestRedis;
let sentinels: readonly TestRedis[] = [];
let database: ScratchDatabase;
let api: ReadyServer;
let worker: ReadyServer;

beforeAll(async () => {
  const secured = [`requirepass ${PASSWORD}`, `masterauth ${PASSWORD}`];
  primary = await startRedis({ lines: secured });
  replica = await startRedis({ lines: [...secured, `replicaof 127.0.0.1 ${primary.port}`] });
  const watched = [
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2`,
    `sentinel auth-pass ${NAME} ${PASSWORD}`,
    // Until the test has killed it: Sentinels must not replace a Redis that the machine kept waiting.
    `sentinel down-after-milliseconds ${NAME} 600000`,
    `sentinel failover-timeout ${NAME} 6000`,
  ];
  sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(watched)));
  await eventually(async () => {
    const known = await onSentinels(async (client) => String(await client.call('info', 'sentinel')));
    return known.every((text) => text.includes('slaves=1,sentinels=3')) ? true : null;
  });
  database = await createScratchDatabase();
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const settings = {
    DATABASE_URL: database.url,
    REDIS_URL: `redis+sentinel://:${PASSWORD}@${hosts}/${NAME}?sentinel_password=${SENTINEL_PASSWORD}`,
    GATE_MASTER_KEY: MASTER_KEY,
    GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
    GATE_RATE_LIMITS: '10000',
  };
  api = await readyServer({ ...settings, GATE_ROLE: 'api' });
  worker = await readyServer({ ...settings, GATE_ROLE: 'worker' });
});
afterAll(async () => {
  for (const server of [api, worker]) server.process.kill('SIGKILL');
  await Promise.all([primary, replica, ...sentinels].map(({ stop }) => stop().catch(() => undefined)));
  await database.drop();
});

async function onRedis<Answer>(
  port: number,
  password: string,
  ask: (client: Redis) => Promise<Answer>,
): Promise<Answer> {
  const client = new Redis({ port, password, enableReadyCheck: false });
  client.on('error', () => undefined);
  try {
    return await ask(client);
  } finally {
    client.disconnect();
  }
}

const onSentinels = <Answer>(ask: (client: Redis) => Promise<Answer>): Promise<readonly Answer[]> =>
  Promise.all(sentinels.map(({ port }) => onRedis(port, SENTINEL_PASSWORD, ask)));

const redisOf = async ({ origins }: ReadyServer): Promise<unknown> =>
  (await call(`${origins.ops}/ready`)).json['redis'];

/** How often the command was called there. */
async function callsOf(redis: TestRedis, command: string): Promise<number> {
  const stats = await onRedis(redis.port, PASSWORD, (client) => client.info('commandstats'));
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

const countOf = async (sql: string): Promise<number> => Number((await database.query(sql))[0]?.['many']);

it(
  'a Redis that Sentinels replace under load costs no session, no webhook and no refusal, and is used again',
  { timeout: 600_000 },
  async () => {
    const statuses = new Set<number>();
    const acknowledged: string[] = [];
    let isSelling = true;
    const buyer = async (name: number): Promise<void> => {
      for (let nth = 0; isSelling; nth += 1) {
        const headers = { authorization: `Bearer ${DEMO_KEYS.secret}`, 'idempotency-key': `${name}-${nth}` };
        const body = { amount: '25.00', currency: 'EUR', return_url: `${api.origins.demo}/` };
        const { status, json } = await call(`${api.origins.sandbox}/v1/gate_sessions`, headers, body);
        statuses.add(status);
        if (status === 201) acknowledged.push(json['id'] ?? '');
      }
    };
    const more = (many: number): Promise<true> => {
      const aim = acknowledged.length + many;
      return eventually(async () => (acknowledged.length >= aim ? true : null));
    };
    const selling = Promise.all(Array.from({ length: BUYERS }, (_, name) => buyer(name)));
    await more(40);
    const isUsed = async () => ((await redisOf(api)) === 'ok' && (await redisOf(worker)) === 'ok' ? true : null);
    await eventually(isUsed);
    await eventually(async () => ((await callsOf(primary, 'rpush')) > 0 ? true : null));

    await primary.kill();
    await eventually(async () => ((await redisOf(api)) === 'degraded' ? true : null));
    await eventually(async () => {
      const metrics = await (await fetch(`${api.origins.ops}/metrics`)).text();
      return /^gate_rate_limits_degraded 1$/m.test(metrics) ? true : null;
    });
    const before = await countOf("select count(*) as many from gateramp.deliveries where status = 'delivered'");
    await more(40);
    await eventually(async () => {
      const many = await countOf("select count(*) as many from gateramp.deliveries where status = 'delivered'");
      return many > before + 20 ? true : null;
    });

    await onSentinels((client) => client.call('sentinel', 'set', NAME, 'down-after-milliseconds', '1000'));
    await eventually(async () => {
      const addresses = await onSentinels((client) => client.call('sentinel', 'get-master-addr-by-name', NAME));
      return addresses.every((one) => Array.isArray(one) && Number(one[1]) === replica.port) ? true : null;
    });
    await eventually(isUsed);
    const [sent, counted] = [await callsOf(replica, 'rpush'), await callsOf(replica, 'incrby')];
    await more(40);
    await eventually(async () => ((await callsOf(replica, 'rpush')) > sent ? true : null));
    await eventually(async () => ((await callsOf(replica, 'incrby')) > counted ? true : null));
    await eventually(async () => ((await callsOf(replica, 'blpop')) > 0 ? true : null));
    isSelling = false;
    await selling;

    expect([...statuses]).toEqual([201]);
    const stored = await database.query('select id from gateramp.sessions');
    expect(stored.map(({ id }) => id).toSorted()).toEqual(acknowledged.toSorted());
    await eventually(async () => {
      const many = await countOf("select count(*) as many from gateramp.deliveries where status = 'delivered'");
      return many === acknowledged.length ? true : null;
    });
    for (const server of [api, worker])
      expect(server.stderr()).not.toMatch(new RegExp(`${PASSWORD}|${SENTINEL_PASSWORD}`));
  },
);
