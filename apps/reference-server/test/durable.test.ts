import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../../tests/services/redis.js';
import { startTransactionPooler } from '../../../tests/services/transaction-pooler.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { buyOnce, call, eventually, hooksOf, readyServer, runServer, type ReadyServer } from './running-server.js';
import { createScratchDatabase, type ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { MASTER_KEY, OTHER_MASTER_KEY } from './master-keys.js';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const DEMO = { authorization: `Bearer ${DEMO_KEYS.secret}` };

let database: ScratchDatabase;
let durable: Readonly<Record<string, string>>;
beforeAll(async () => {
  database = await createScratchDatabase();
  durable = {
    DATABASE_URL: database.url,
    GATE_MASTER_KEY: MASTER_KEY,
    // Some tests change the key. A secret stays under it where the shop's random port is that of the start before.
    GATE_MASTER_KEYS_OLD: OTHER_MASTER_KEY,
    GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
  };
});
afterAll(() => database.drop());

/** The answer as bytes, which a replay repeats exactly. */
async function create(
  origin: string,
  key: string,
  shop: string,
  secret = DEMO.authorization,
): Promise<{ status: number; requestId: string | null; body: string }> {
  const response = await fetch(`${origin}/v1/gate_sessions`, {
    method: 'POST',
    headers: { authorization: secret, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ amount: '100.00', currency: 'EUR', return_url: `${shop}/` }),
  });
  return { status: response.status, requestId: response.headers.get('x-request-id'), body: await response.text() };
}

describe('one process on Postgres', () => {
  it('serves a purchase end to end, and the shop gets signed webhooks that verify', async () => {
    const server = await readyServer(durable);
    const sessionId = await buyOnce(server.origins);
    const hooks = await eventually(async () => {
      const found = await hooksOf(server.origins.demo, sessionId);
      // Events are sent at the same time, so the last one may arrive before the others.
      return found.length >= 3 ? found : null;
    });
    expect(hooks.map(({ sequence, verified }) => [sequence, verified]).sort()).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
    server.process.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });

  it('loses nothing it has acknowledged to kill -9: sessions stay, a repeat gets the same bytes, a payment under way goes on', async () => {
    const settings = { ...durable, GATE_RATE_LIMITS: 'off', GATE_TEST_CLOCK: 'on' };
    const first = await readyServer(settings);
    const shop = first.origins.demo;
    const keys = Array.from({ length: 20 }, () => crypto.randomUUID());
    const created = await Promise.all(keys.map((key) => create(first.origins.sandbox, key, shop)));
    expect(created.map(({ status }) => status)).toEqual(keys.map(() => 201));
    const paid = JSON.parse(created[0]?.body ?? '').id as string;
    const simulate = (origin: string, scenario: string) =>
      call(`${origin}/v1/test_helpers/gate_sessions/${paid}/simulate`, DEMO, { scenario });
    expect((await simulate(first.origins.sandbox, 'processing')).json.status).toBe('processing');
    first.process.kill('SIGKILL');
    await first.exited;

    const second = await readyServer({ ...settings, GATE_HTTP: 'express', GATE_DEMO_PORT: new URL(shop).port });
    for (const { body } of created) {
      const { id } = JSON.parse(body);
      expect((await call(`${second.origins.sandbox}/v1/gate_sessions/${id}`, DEMO)).status).toBe(200);
    }
    expect(await Promise.all(keys.map((key) => create(second.origins.sandbox, key, shop)))).toEqual(created);
    expect((await simulate(second.origins.sandbox, 'succeed')).json.status).toBe('succeeded');
    second.process.kill('SIGKILL');
  });

  it('keeps a kyc_package in the database, sealed, until its session ends', async () => {
    const server = await readyServer(durable);
    const { sandbox, demo } = server.origins;
    const body = {
      amount: '100.00',
      currency: 'EUR',
      return_url: `${demo}/`,
      kyc_package: { provider: 'idv', name: 'Ada' },
    };
    const created = await call(
      `${sandbox}/v1/gate_sessions`,
      { ...DEMO, 'idempotency-key': crypto.randomUUID() },
      body,
    );
    expect([created.status, created.json.kyc_pre_verified]).toEqual([201, true]);
    const kept = () =>
      database.query(`select sealed from gateramp.kyc_packages where session_id = '${created.json.id}'`);
    const [found] = await kept();
    expect(String(found?.['sealed'])).toMatch(/^mk1\.[0-9a-f]{16}\./);
    await call(`${sandbox}/v1/gate_sessions/${created.json.id}/cancel`, DEMO, {});
    await eventually(async () => ((await kept()).length === 0 ? true : null));
    server.process.kill('SIGKILL');
  });

  it('works behind a proxy that pools by transaction, when set up for it', async () => {
    const pooler = await startTransactionPooler(database.url);
    const server = await readyServer({ ...durable, DATABASE_URL: pooler.url, GATE_DATABASE_PROXY: 'on' });
    const sessionId = await buyOnce(server.origins);
    expect((await call(`${server.origins.sandbox}/v1/gate_sessions/${sessionId}`, DEMO)).json.status).toBe('completed');
    server.process.kill('SIGKILL');
    await pooler.stop();
  });

  it('does not start with another master key than the one that sealed the database', async () => {
    const server = runServer({ ...durable, GATE_MASTER_KEY: OTHER_MASTER_KEY });
    expect(await server.exited).toBe(1);
    expect(server.stderr()).toMatch(/GATE_MASTER_KEY: The stored pepper was encrypted with master key [0-9a-f]{16}/);
    const rotated = await readyServer({
      ...durable,
      GATE_MASTER_KEY: OTHER_MASTER_KEY,
      GATE_MASTER_KEYS_OLD: MASTER_KEY,
    });
    rotated.process.kill('SIGKILL');
    const back = await readyServer(durable);
    back.process.kill('SIGKILL');
  });

  it('does not start without the pepper of the rows it would serve, and puts no other in its place', async () => {
    const lost = await createScratchDatabase();
    const settings = { ...durable, DATABASE_URL: lost.url };
    const first = await readyServer(settings);
    await create(first.origins.sandbox, crypto.randomUUID(), first.origins.demo);
    first.process.kill('SIGKILL');
    await first.exited;
    await lost.query("delete from gateramp.settings where name = 'pepper'");
    for (let start = 0; start < 2; start += 1) {
      const server = runServer(settings);
      expect(await server.exited).toBe(1);
      expect(server.stderr()).toMatch(
        /^ {2}DATABASE_URL: The pepper is missing from "gateramp"\.settings, .*Restore that row from a backup/m,
      );
    }
    await lost.drop();
  });

  it('does not start on a schema that a newer version has migrated', async () => {
    const newer = await createScratchDatabase();
    const settings = { ...durable, DATABASE_URL: newer.url };
    const first = await readyServer(settings);
    first.process.kill('SIGKILL');
    await first.exited;
    await newer.query("insert into gateramp.migrations (number, name) values (1000, 'of tomorrow')");
    const server = runServer(settings);
    expect(await server.exited).toBe(1);
    expect(server.stderr()).toMatch(
      /^ {2}DATABASE_URL: The schema "gateramp" belongs to a newer version of Gateramp: it has migration 1000/m,
    );
    await newer.drop();
  });

  it('takes up a quote made before the master key was changed', async () => {
    const first = await readyServer(durable);
    const session = JSON.parse((await create(first.origins.sandbox, crypto.randomUUID(), first.origins.demo)).body);
    const shop = { authorization: `Bearer ${DEMO_KEYS.publishable}`, origin: first.origins.demo };
    const opened = await call(`${first.origins.sandbox}/v1/embed/bootstrap`, shop, {
      clientSecret: session.client_secret,
    });
    const browser = { 'x-embed-token': String(opened.json.embed_token) };
    const terms = { flow: 'on_ramp', amount: '100.00', currency: 'EUR', payment_method: 'card' };
    const quoted = await call(`${first.origins.sandbox}/v1/embed/quotes`, browser, terms);
    const [quote] = JSON.parse(JSON.stringify(quoted.json.quotes));
    first.process.kill('SIGKILL');
    await first.exited;

    const changed = await readyServer({
      ...durable,
      GATE_MASTER_KEY: OTHER_MASTER_KEY,
      GATE_MASTER_KEYS_OLD: MASTER_KEY,
    });
    const payment = {
      payment_details: { card_number: '4242424242424242', expiry: '12/49', cvc: '123' },
      wallet_address: WALLET,
    };
    const body = { ...terms, ...payment, quote_id: quote.id };
    const checkout = { ...browser, origin: changed.origins.sandbox_widget };
    expect(await call(`${changed.origins.sandbox}/v1/embed/intents`, checkout, body)).toMatchObject({ status: 201 });
    changed.process.kill('SIGKILL');
    await changed.exited;
    const back = await readyServer(durable);
    back.process.kill('SIGKILL');
  });

  it('says at the start which keys left the seed file and still work, by their id and not their text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateramp-seed-'));
    const file = join(folder, 'seed.json');
    const kept = 'sk_test_kept_in_the_file_01';
    const removed = 'sk_test_taken_out_of_it_002';
    const started = async (keys: readonly string[]): Promise<ReadyServer> => {
      const partner = {
        id: '65f0c0ffee65f0c0ffee0077',
        name: 'Seeded',
        allowed_origins: [SHOP],
        test: { secret_keys: keys },
      };
      writeFileSync(file, JSON.stringify({ partners: [partner] }));
      return readyServer({ ...durable, GATE_SEED_FILE: file });
    };
    const warnings = (server: ReadyServer): readonly string[] =>
      server
        .stderr()
        .split('\n')
        .filter((line) => line.includes('gate keys revoke'));
    const first = await started([kept, removed]);
    first.process.kill('SIGTERM');
    await first.exited;
    const second = await started([kept]);
    const answer = await call(`${second.origins.sandbox}/v1/gate_sessions`, { authorization: `Bearer ${removed}` });
    second.process.kill('SIGTERM');
    await second.exited;
    rmSync(folder, { recursive: true });

    expect(answer.status).toBe(200);
    expect([warnings(first).length, warnings(second).length]).toEqual([0, 1]);
    expect(warnings(second)[0]).toContain(
      `gate keys revoke ${createHash('sha256').update(removed).digest('hex').slice(0, 16)}`,
    );
    expect(second.stderr()).not.toContain(removed);
  });

  it('says in one line that Postgres cannot be reached, without the password', async () => {
    const server = runServer({ ...durable, DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' });
    expect(await server.exited).toBe(1);
    expect(server.stderr()).toContain('DATABASE_URL: Postgres at 127.0.0.1:1 cannot be reached (ECONNREFUSED).');
    expect(server.stderr()).not.toContain('hunter2');
  });
});

const SHOP = 'https://shop.example';
const PARTNER = { id: '65f0c0ffee65f0c0ffee0001', key: 'sk_test_two_apis_one_worker_1' };

/** A partner's webhook receiver. */
async function receiver(): Promise<{
  readonly server: Server;
  readonly url: string;
  readonly types: Map<string, string[]>;
}> {
  const types = new Map<string, string[]>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { type, data } = JSON.parse(body);
      const id = String(data.object === 'gate_session' ? data.id : data.session_id);
      types.set(id, [...(types.get(id) ?? []), String(type)]);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, types };
}

describe.each(['Postgres alone', 'Postgres and Redis'])('two api processes and a worker on %s', (name) => {
  let hooks: Awaited<ReturnType<typeof receiver>>;
  let redis: Awaited<ReturnType<typeof startRedis>> | null = null;
  let servers: readonly ReadyServer[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-roles-'));
  beforeAll(async () => {
    hooks = await receiver();
    if (name.includes('Redis')) redis = await startRedis();
    const seed = join(folder, 'seed.json');
    const test = { secret_keys: [PARTNER.key], webhook_url: hooks.url };
    writeFileSync(seed, JSON.stringify({ partners: [{ id: PARTNER.id, name: 'Two', allowed_origins: [SHOP], test }] }));
    const environment = { ...durable, GATE_SEED_FILE: seed, ...(redis === null ? {} : { REDIS_URL: redis.url }) };
    // Concurrently, so that seeds and migrations race.
    servers = await Promise.all(
      ['api', 'api', 'worker'].map((role) => readyServer({ ...environment, GATE_ROLE: role })),
    );
  });
  afterAll(async () => {
    for (const server of servers) server.process.kill('SIGKILL');
    hooks.server.close();
    rmSync(folder, { recursive: true });
    await redis?.stop();
  });

  it('deliver what either accepts, and a key used at one replays at the other', async () => {
    const [one, two, worker] = servers;
    if (one === undefined || two === undefined || worker === undefined) throw new Error('Three were started.');
    expect([worker.origins.sandbox, worker.origins.demo, typeof worker.origins.ops]).toEqual([null, null, 'string']);
    const secret = `Bearer ${PARTNER.key}`;
    const key = crypto.randomUUID();
    const created = await create(one.origins.sandbox, key, SHOP, secret);
    expect(await create(two.origins.sandbox, key, SHOP, secret)).toEqual(created);
    const { id } = JSON.parse(created.body);
    const bought = await call(
      `${two.origins.sandbox}/v1/test_helpers/gate_sessions/${id}/simulate`,
      { authorization: secret },
      { scenario: 'succeed' },
    );
    expect(bought.json.status).toBe('succeeded');
    const types = await eventually(async () => ((hooks.types.get(id)?.length ?? 0) >= 3 ? hooks.types.get(id) : null));
    expect([...types].sort()).toEqual(['gate_session.completed', 'gate_session.created', 'gate_session.processing']);
    // An attempt counts once it is recorded, shortly after the receiver has it.
    await eventually(async () => ((await deliveredBy(worker)) >= 3 ? true : null));
    expect([await deliveredBy(one), await deliveredBy(two)]).toEqual([0, 0]);
  });
});

async function deliveredBy({ origins }: ReadyServer): Promise<number> {
  const text = await (await fetch(`${origins.ops}/metrics`)).text();
  return Number(/^gate_delivery_attempts_total\{outcome="delivered",error="none"\} (\d+)$/m.exec(text)?.[1]);
}
