import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { MASTER_KEY } from '../../apps/reference-server/test/master-keys.js';
import { DEMO_KEYS } from '../../apps/reference-server/src/demo/demo-partner.js';
import { startReferenceServer, TEST_PARTNER, type ReferenceServer } from '../services/reference-server.js';
import type { Scene } from './scene.js';

type Mode = 'test' | 'live';
type Json = Readonly<Record<string, unknown>>;

const KEYS: Readonly<Record<Mode, string>> = { test: TEST_PARTNER.secretKey, live: TEST_PARTNER.liveSecretKey };

/** What a partner's server does. Failed calls are thrown. */
export interface Shop {
  call(method: string, path: string, body?: object, mode?: Mode): Promise<Json>;
  /** Makes a call whose result does not matter. */
  try(method: string, path: string, body?: object, mode?: Mode): Promise<void>;
  /** Creates a session and returns its id. */
  order(mode?: Mode): Promise<string>;
  /** Creates a session, plays a scenario, and returns the session's id. */
  play(scenario: string): Promise<string>;
  advance(seconds: number): Promise<void>;
  /** Reports an outcome of a sandbox operation, as the provider does. */
  callback(operationId: string, outcome: string): Promise<void>;
  readonly server: ReferenceServer;
}

const ADVANCE_AGAIN_MS = 500;
const SHOP_ORIGIN = 'https://shop.example';

/** Starts a reference server that the scene watches, with a partner whose webhooks go to `receiver`. */
export async function openShop(
  scene: Scene,
  {
    settings = {},
    receiver = null,
  }: { readonly settings?: Readonly<Record<string, string>>; readonly receiver?: string | null },
): Promise<Shop> {
  const endpoint = { webhook_url: receiver, webhook_secret: TEST_PARTNER.webhookSecret };
  const server = await startReferenceServer({
    settings: { GATE_ALLOW_PRIVATE_WEBHOOKS: 'on', GATE_LIVE_SANDBOX: 'on', ...settings },
    partner: {
      allowed_origins: [SHOP_ORIGIN],
      test: { secret_keys: [KEYS.test], publishable_keys: [DEMO_KEYS.publishable], ...endpoint },
      live: { secret_keys: [KEYS.live], publishable_keys: [], ...endpoint },
    },
  });
  scene.watch(server.origins.ops);
  const send = (method: string, path: string, body?: object, mode: Mode = 'test', key: string = randomUUID()) =>
    fetch(`${mode === 'test' ? server.origins.sandbox : server.origins.live}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${KEYS[mode]}`,
        'idempotency-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const call: Shop['call'] = async (method, path, body, mode) => {
    const answer = await send(method, path, body, mode);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Json;
  };
  const shop: Shop = {
    server,
    call,
    try: async (...request) =>
      void (await send(...request).then(
        (answer) => answer.text(),
        () => null,
      )),
    async order(mode) {
      const terms = { amount: '100.00', currency: 'EUR', return_url: `${SHOP_ORIGIN}/done` };
      return String((await call('POST', '/v1/gate_sessions', terms, mode))['id']);
    },
    async play(scenario) {
      const id = await shop.order();
      await call('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, { scenario });
      return id;
    },
    async advance(seconds) {
      // A busy machine may not do all that falls due within the time of one request.
      const key = randomUUID();
      for (;;) {
        const answer = await send('POST', '/v1/test_helpers/clock/advance', { seconds }, 'test', key);
        if (answer.ok) return;
        const text = await answer.text();
        if (![409, 503].includes(answer.status))
          throw new Error(`The clock was not advanced: ${answer.status} ${text}`);
        await pause(ADVANCE_AGAIN_MS);
      }
    },
    async callback(operationId, outcome) {
      const body = JSON.stringify({ event_id: randomUUID(), operation_id: operationId, outcome });
      const t = Math.floor(Date.now() / 1_000);
      const v1 = createHmac('sha256', 'sandbox_test_callback_secret').update(`${t}.${body}`).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-sandbox-signature': `t=${t},v1=${v1}` };
      const url = `${server.origins.sandbox}/v1/providers/sandbox/callbacks`;
      const answer = await fetch(url, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`The callback was answered ${answer.status}: ${await answer.text()}`);
    },
  };
  return shop;
}

/** The settings of a server on this database. */
export const onDatabase = (url: string): Readonly<Record<string, string>> => ({
  DATABASE_URL: url,
  GATE_MASTER_KEY: MASTER_KEY,
});

/** A receiver of webhooks on loopback, whose behavior tests set. */
export async function startReceiver() {
  const receiver = { url: '', requests: 0, answer: 'ok' as 'ok' | 'refuse' | 'hang' };
  const server = createServer((request, response) => {
    receiver.requests += 1;
    request.resume();
    if (receiver.answer === 'hang') return;
    response.writeHead(receiver.answer === 'ok' ? 200 : 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server has an address object.
  receiver.url = `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/hooks`;
  return receiver;
}
