import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ScratchDatabase, createScratchDatabase } from '../../../tests/services/scratch-database.js';
import { testRedisUrl } from '../../../tests/services/test-redis.js';
import { MASTER_KEY } from './master-keys.js';
import { call, eventually, readyServer, type ReadyServer } from './running-server.js';

const SHOP = 'https://shop.example';
const DAY_SECONDS = 86_400;

interface Received {
  readonly id: string;
  readonly type: string;
  readonly sessionId: string;
}

/** A webhook receiver of a partner; each answer waits for the promise. */
async function receiver() {
  const received: Received[] = [];
  let answer: { readonly status: number; readonly after: Promise<void> } = { status: 200, after: Promise.resolve() };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { id, type, data } = JSON.parse(body);
      received.push({ id, type, sessionId: String(data.object === 'gate_session' ? data.id : data.session_id) });
      const { status, after } = answer;
      void after.then(() => response.writeHead(status).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answerWith = (status: number, after = Promise.resolve()): void => void (answer = { status, after });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { received, answerWith, url, close: () => server.close() };
}

let database: ScratchDatabase;
let folder: string;
let environment: Readonly<Record<string, string>>;
let hooks: Awaited<ReturnType<typeof receiver>>;
let hooksOfBolt: Awaited<ReturnType<typeof receiver>>;
let servers: readonly ReadyServer[] = [];
const ACME = 'sk_test_acme_shares_the_clock_1';
const BOLT = 'sk_test_bolt_shares_the_clock_1';

function apiOf(nth: number): string {
  const server = servers[nth];
  if (server === undefined) throw new Error('Two API processes were started.');
  return server.origins.sandbox;
}

const ask = (origin: string, key: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': crypto.randomUUID() };
  return call(`${origin}${path}`, headers, body);
};
const advance = (origin: string, key: string, seconds: number) =>
  ask(origin, key, '/v1/test_helpers/clock/advance', { seconds });
const timeAt = async (origin: string, key: string): Promise<number> =>
  Date.parse((await ask(origin, key, '/v1/test_helpers/clock')).json.now ?? '');

async function createAt(origin: string, key: string): Promise<string> {
  const body = { amount: '100.00', currency: 'EUR', return_url: `${SHOP}/done` };
  const { status, json } = await ask(origin, key, '/v1/gate_sessions', body);
  expect(status).toBe(201);
  return String(json.id);
}

const typesOf = (sessionId: string, { received } = hooks): readonly string[] =>
  received.filter((one) => one.sessionId === sessionId).map(({ type }) => type);

describe.each(['polling', 'woken through Redis'] as const)('processes that are %s', (wakeUps) => {
  beforeAll(async () => {
    [hooks, hooksOfBolt] = [await receiver(), await receiver()];
    database = await createScratchDatabase();
    folder = mkdtempSync(join(tmpdir(), 'gateramp-clock-'));
    const seed = join(folder, 'seed.json');
    const partner = (id: string, key: string, url: string) => ({
      ...{ id, name: id, allowed_origins: [SHOP] },
      test: { secret_keys: [key], webhook_url: url },
    });
    const partners = [
      partner('65f0c0ffee65f0c0ffee0001', ACME, hooks.url),
      partner('65f0c0ffee65f0c0ffee0002', BOLT, hooksOfBolt.url),
    ];
    writeFileSync(seed, JSON.stringify({ partners }));
    environment = {
      DATABASE_URL: database.url,
      GATE_MASTER_KEY: MASTER_KEY,
      GATE_SEED_FILE: seed,
      GATE_TEST_CLOCK: 'on',
      GATE_RATE_LIMITS: '1000',
      GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
      ...(wakeUps === 'polling' ? {} : { REDIS_URL: `${await testRedisUrl()}/7` }),
    };
    const roles = ['api', 'api', 'worker', 'worker'];
    servers = await Promise.all(roles.map((role) => readyServer({ ...environment, GATE_ROLE: role })));
  });
  afterAll(async () => {
    for (const server of servers) server.process.kill('SIGKILL');
    hooks.close();
    hooksOfBolt.close();
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  it('an advance through one API process runs the work of the sandbox, and all processes continue at its time', async () => {
    const [one, two] = [apiOf(0), apiOf(1)];
    hooks.answerWith(500);
    const failing = await createAt(one, ACME);
    await eventually(async () => (typesOf(failing).length === 1 ? true : null));
    hooks.answerWith(200);
    const before = await timeAt(two, ACME);
    const { status, json } = await advance(one, ACME, DAY_SECONDS + 600);
    expect(status).toBe(200);
    const fired = json.fired as unknown as readonly { readonly type: string }[];
    expect(fired.length).toBeGreaterThan(0);
    // The retry was delivered before the answer.
    expect(typesOf(failing).slice(1)).toEqual(['gate_session.created']);

    // The other API process follows, and the workers act by that time.
    const hasFollowed = async () => (await timeAt(two, ACME)) - before >= (DAY_SECONDS + 600) * 1_000;
    await eventually(async () => ((await hasFollowed()) ? true : null));
    const next = await createAt(two, ACME);
    await eventually(async () => (typesOf(next).length > 0 ? true : null));
    const first = await createAt(one, BOLT);
    await eventually(async () => (typesOf(first, hooksOfBolt).length > 0 ? true : null));
    expect(Math.abs((await timeAt(two, BOLT)) - Date.now())).toBeLessThan(60_000);
    expect((await advance(two, ACME, 60)).status).toBe(200);
    expect(new Set(hooks.received.map(({ id }) => id)).size + 1).toBe(hooks.received.length);
  });

  it('many partners and processes: each event is delivered once while sandboxes are stepped', async () => {
    const origins = [apiOf(0), apiOf(1)];
    const before = [hooks.received.length, hooksOfBolt.received.length];
    const created: string[] = [];
    const create = async (key: string): Promise<void> => {
      for (let nth = 0; nth < 30; nth += 1) created.push(await createAt(origins[nth % 2] ?? '', key));
    };
    let advanced = 0;
    const step = async (origin: string, key: string): Promise<void> => {
      for (let nth = 0; nth < 12; nth += 1) {
        const { status, json } = await advance(origin, key, 120);
        if (status === 200) advanced += 1;
        else expect([status, json.code]).toEqual([409, 'operation_in_progress']);
      }
    };
    const stepping = origins.flatMap((origin) => [step(origin, ACME), step(origin, BOLT)]);
    await Promise.all([create(ACME), create(BOLT), ...stepping]);
    expect(advanced).toBeGreaterThan(10);
    const receivers = [hooks, hooksOfBolt];
    await eventually(async () =>
      created.every((id) => receivers.some((one) => typesOf(id, one).includes('gate_session.created'))) ? true : null,
    );
    for (const [nth, { received }] of receivers.entries()) {
      const ids = received.slice(before[nth]).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('after a process was killed while it stepped a sandbox, another process steps it some seconds later', async () => {
    const doomed = await readyServer({ ...environment, GATE_ROLE: 'api' });
    onTestFinished(() => void doomed.process.kill('SIGKILL'));
    hooks.answerWith(500);
    const failing = await createAt(apiOf(0), ACME);
    await eventually(async () => (typesOf(failing).length === 1 ? true : null));
    let release = (): void => undefined;
    hooks.answerWith(200, new Promise<void>((resolve) => (release = resolve)));
    const dying = advance(doomed.origins.sandbox, ACME, DAY_SECONDS).catch(() => null);
    await eventually(async () => (typesOf(failing).length === 2 ? true : null));
    expect((await advance(apiOf(1), ACME, 60)).json.code).toBe('operation_in_progress');
    doomed.process.kill('SIGKILL');
    expect(await dying).toBeNull();
    release();
    hooks.answerWith(200);
    const killed = performance.now();
    await eventually(async () => ((await advance(apiOf(1), ACME, DAY_SECONDS)).status === 200 ? true : null));
    expect(performance.now() - killed).toBeLessThan(60_000);
    await eventually(async () => (typesOf(failing).length === 3 ? true : null));
  });
});
