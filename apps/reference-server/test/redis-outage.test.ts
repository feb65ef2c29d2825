import { expect, it, onTestFinished } from 'vitest';
import { startRedis } from '../../../tests/services/redis.js';
import { migratedDatabase } from './run-gate.js';
import { call, eventually, postAsDemo, readyServer, type ReadyServer } from './running-server.js';

type Line = Readonly<Record<string, unknown>>;

function linesOf(server: ReadyServer): readonly Line[] {
  return server
    .stderr()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

it.each(['kill', 'pause'] as const)(
  'an outage of Redis (%s) is one line that names Redis without its password, and one when it is over',
  async (fault) => {
    const redis = await startRedis({ lines: ['requirepass secret-of-redis'] });
    onTestFinished(() => redis.stop());
    const { settings } = await migratedDatabase();
    const place = new URL(redis.url).host;
    const server = await readyServer({
      ...settings,
      REDIS_URL: `redis://:secret-of-redis@${place}`,
      GATE_RATE_LIMITS: '1000',
    });
    onTestFinished(() => void server.process.kill('SIGKILL'));
    const body = { amount: '10.00', currency: 'EUR', return_url: `${server.origins.demo}/` };
    const create = (key: string) => postAsDemo(server, '/v1/gate_sessions', body, key);
    const ready = async () => (await call(`${server.origins.ops}/ready`)).json;
    await create('before');
    const before = linesOf(server).length;
    const news = () =>
      linesOf(server)
        .slice(before)
        .filter(({ level }) => Number(level) >= 40);

    if (fault === 'kill') await redis.kill();
    else redis.pause();
    for (let n = 0; n < 20; n += 1) await create(`during-${n}`);
    await eventually(async () => ((await ready()).cause === 'redis_unavailable' ? true : null));
    await eventually(async () => news()[0]);

    if (fault === 'kill') await redis.start();
    else redis.resume();
    await eventually(async () => ((await ready()).cause === null ? true : null));
    await eventually(async () => news().find(({ msg }) => msg === 'Outage over'));
    expect(news()).toMatchObject([
      {
        msg: 'Outage',
        outage: 'RedisOutage',
        err: { type: 'RedisOutage', message: expect.stringContaining(`Redis at ${place}`) },
      },
      { msg: 'Outage over', outage: 'RedisOutage' },
    ]);
    expect(server.stderr()).not.toContain('secret-of-redis');
    const metrics = await (await fetch(`${server.origins.ops}/metrics`)).text();
    expect(metrics).toMatch(/^gate_failures_total\{kind="error"\} 0$/m);
  },
);
