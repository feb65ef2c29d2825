import assert from 'node:assert/strict';
import { CALLBACK_SIGNATURE_HEADER, sandboxProvider, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import { memoryStore } from '@gateramp/adapters-store-memory';
import type { CorridorRefusalCode, MarketRefusalCode, Provider, Store } from '@gateramp/core/ports';
import {
  anonymousToken,
  attempt,
  ATTEMPT,
  buyer,
  CALLBACK_SECRET,
  confirm,
  create,
  createQuote,
  expectRefusal,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  open,
  previewQuotes,
  retrieve,
  routeOf,
  SECRET,
  sendTo,
  simulate,
  textOf,
  waitingIntent,
  type WorldOptions,
} from '../kit.js';

const TOPIC = 'HTTP: refusals that come from outside';

const CALLBACKS = '/v1/providers/sandbox/callbacks';

const MARKET_FAULTS: readonly MarketRefusalCode[] = [
  'corridor_not_supported',
  'amount_below_minimum',
  'amount_above_maximum',
  'asset_network_mismatch',
];

const ATTEMPT_FAULTS: readonly { readonly code: CorridorRefusalCode; readonly status: number }[] = [
  ...MARKET_FAULTS.map((code) => ({ code, status: 422 })),
  { code: 'wallet_address_invalid', status: 422 },
  { code: 'quote_expired', status: 422 },
  { code: 'quote_not_found', status: 404 },
];

/** The sandbox with some of its methods replaced. */
function bent(changes: Partial<Provider>) {
  return () => ({ ports: { providers: [{ ...sandboxProvider({ callbackSecret: CALLBACK_SECRET }), ...changes }] } });
}

function saysNo<Code extends CorridorRefusalCode>(code: Code) {
  return { kind: 'refused' as const, code, message: 'The provider says no.' };
}

const corridors: readonly Law<HttpSubject>[] = [
  ...MARKET_FAULTS.map((code) =>
    httpLaw(
      TOPIC,
      `quotes of every kind answer 422 ${code} when the provider does`,
      async (world) => {
        const { token } = await buyer(world);
        expectRefusal(await world.send('POST', '/v1/embed/quotes', { token, body: ATTEMPT }), 422, code);
        const anonymous = { token: await anonymousToken(world), body: ATTEMPT };
        expectRefusal(await world.send('POST', '/v1/embed/quotes', anonymous), 422, code);
        expectRefusal(await previewQuotes(world), 422, code);
        expectRefusal(await createQuote(world), 422, code);
      },
      () => ({ ...bent({ quote: async () => saysNo(code) })(), partner: { entitlements: ['rails'] } }),
    ),
  ),
  ...ATTEMPT_FAULTS.map(({ code, status }) =>
    httpLaw(
      TOPIC,
      `intents and simulations answer ${status} ${code} when the provider does`,
      async (world) => {
        const { token, sessionId } = await buyer(world);
        expectRefusal(await attempt(world, token), status, code);
        expectRefusal(await simulate(world, sessionId, 'succeed'), status, code);
      },
      bent({ resolve: async () => saysNo(code) }),
    ),
  ),
];

async function callback(world: HttpWorld, body: string, signature: string | null, path = CALLBACKS) {
  return world.send('POST', path, {
    body,
    headers: signature === null ? {} : { [CALLBACK_SIGNATURE_HEADER]: signature },
  });
}

const sign = (world: HttpWorld, body: string, secret = CALLBACK_SECRET, ageMs = 0) =>
  signSandboxCallback(body, secret, world.t.clock.wall() - ageMs);

const callbacks: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'POST /v1/providers/{name}/callbacks answers 404 route_not_found to an unconfigured provider',
    async (world) => {
      for (const name of ['nobody', 'Sandbox', '%00', '__proto__']) {
        expectRefusal(
          await callback(world, '{}', sign(world, '{}'), `/v1/providers/${name}/callbacks`),
          404,
          'route_not_found',
        );
      }
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/providers/{name}/callbacks answers 401 malformed_credential unless the provider signed these very bytes recently',
    async (world) => {
      const body = JSON.stringify({ event_id: 'e', operation_id: 'o', outcome: 'succeeded' });
      for (const signature of [
        null,
        '',
        'garbage',
        sign(world, body, 'another-secret'),
        sign(world, `${body} `),
        sign(world, body, CALLBACK_SECRET, 301_000),
      ]) {
        expectRefusal(await callback(world, body, signature), 401, 'malformed_credential');
      }
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/providers/{name}/callbacks answers 400 validation_failed to a signed body that is not a report',
    async (world) => {
      for (const body of [
        '',
        '{',
        '[]',
        '{}',
        '{"event_id":"e","operation_id":"o","outcome":"won"}',
        '{"event_id":"","operation_id":"o","outcome":"succeeded"}',
      ]) {
        expectRefusal(await callback(world, body, sign(world, body)), 400, 'validation_failed');
      }
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/providers/{name}/callbacks answers 404 intent_not_found to an unknown operation',
    async (world) => {
      const body = JSON.stringify({ event_id: 'e', operation_id: 'op_unknown', outcome: 'succeeded' });
      expectRefusal(await callback(world, body, sign(world, body)), 404, 'intent_not_found');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/providers/{name}/callbacks answers 404 intent_not_found on the host of the other mode',
    async (world) => {
      const { path, sent } = await routeOf('POST /v1/providers/{name}/callbacks').sample(world, 'test');
      expectRefusal(await world.send('POST', path, { ...sent, mode: 'live' }), 404, 'intent_not_found');
      expectStatus(await world.send('POST', path, sent), 200);
    },
  ),
  httpLaw(TOPIC, 'POST /v1/providers/{name}/callbacks answers 413 body_too_large beyond 64 KiB', async (world) => {
    const body = 'x'.repeat(65_537);
    expectRefusal(await callback(world, body, sign(world, body)), 413, 'body_too_large');
  }),
];

/** A provider whose confirm waits until it is released. */
function slowConfirm() {
  const provider = sandboxProvider();
  let enter = () => {};
  let release = () => {};
  const entered = new Promise<void>((resolve) => (enter = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const slow: Provider = {
    ...provider,
    confirm: async (order) => {
      enter();
      await released;
      return provider.confirm(order);
    },
  };
  return { slow, entered, release: () => release() };
}

/** A port that is overridden with undefined is absent, which its type cannot express. */
const WITHOUT_TEST_CLOCK = { ports: { testClock: undefined } } as unknown as WorldOptions;

export const providerRefusals: readonly Law<HttpSubject>[] = [
  ...corridors,
  ...callbacks,
  {
    topic: TOPIC,
    title:
      'POST /v1/embed/intents/{id}/confirm answers 409 operation_in_progress while another confirmation is under way',
    run: (subject) => {
      const { slow, entered, release } = slowConfirm();
      const run = async (world: HttpWorld) => {
        const { token } = await buyer(world);
        const id = textOf(await waitingIntent(world, token), 'id');
        const body = { action: 'payment_authentication', code: '000000' };
        const first = confirm(world, token, id, body);
        await entered;
        expectRefusal(await confirm(world, token, id, body), 409, 'operation_in_progress');
        release();
        expectStatus(await first, 200);
      };
      return httpLaw(TOPIC, '', run, { ports: { providers: [slow] } }).run(subject);
    },
  },
  httpLaw(
    TOPIC,
    'GET /v1/transactions/{refid} answers 404 transaction_not_found to an unknown, malformed or foreign refid',
    async (world) => {
      const route = routeOf('GET /v1/transactions/{refid}');
      const { path } = await route.sample(world, 'live');
      for (const one of [
        path,
        '/v1/transactions/x',
        '/v1/transactions/%00',
        `/v1/transactions/gtx_${'0'.repeat(20)}`,
      ]) {
        expectRefusal(await world.send('GET', one, { key: SECRET }), 404, 'transaction_not_found');
      }
    },
  ),
  httpLaw(
    TOPIC,
    'answers 503 try_again when every decision was overtaken, and nothing has happened',
    async (world) => {
      const answer = await create(world);
      expectRefusal(answer, 503, 'try_again');
    },
    () => ({ ports: { store: storeOvertaken() } }),
  ),
  httpLaw(
    TOPIC,
    'answers 500 internal_error to a bug, scrubbed, with the request id that the operator sees',
    async (world) => {
      const answer = await retrieve(world, '0'.repeat(24));
      expectRefusal(answer, 500, 'internal_error');
      assert.equal(answer.text.includes('secret detail'), false);
      assert.equal(world.t.telemetry.failures[0]?.fields['request_id'], answer.json['request_id']);
    },
    () => ({ ports: { store: { ...memoryStore(), find: () => Promise.reject(new Error('secret detail')) } } }),
  ),
  httpLaw(
    TOPIC,
    'answers 503 service_unavailable when the store is away, scrubbed',
    async (world) => {
      const answer = await retrieve(world, '0'.repeat(24));
      expectRefusal(answer, 503, 'service_unavailable');
      assert.equal(answer.text.includes('10.0.0.7'), false);
    },
    () => ({
      ports: {
        store: {
          ...memoryStore(),
          find: () => Promise.reject(Object.assign(new Error('10.0.0.7'), { outage: true })),
        },
      },
    }),
  ),
  httpLaw(
    TOPIC,
    "POST /v1/embed/intents answers 201 with the current intent when the provider's answer is unknown, and never sends twice",
    async (world) => {
      const { token } = await buyer(world);
      const intent = expectStatus(await attempt(world, token, {}, { idempotencyKey: freshKey() }), 201).json;
      assert.equal(intent['status'], 'created');
      expectRefusal(await attempt(world, token), 409, 'intent_in_progress');
    },
    bent({ start: () => Promise.reject(new Error('connection reset')) }),
  ),
  httpLaw(
    TOPIC,
    'the test-clock routes answer 404 route_not_found where there is no test clock, whatever is sent',
    async (world) => {
      for (const name of ['GET /v1/test_helpers/clock', 'POST /v1/test_helpers/clock/advance']) {
        const route = routeOf(name);
        const { path, sent } = await route.sample(world, 'test');
        expectRefusal(await sendTo(world, route, { path, sent }), 404, 'route_not_found');
        expectRefusal(await world.send(route.method, path), 404, 'route_not_found');
      }
      await open(world);
    },
    WITHOUT_TEST_CLOCK,
  ),
];

/** A store in which other writers always change a session first. */
function storeOvertaken(): Store {
  const inner = memoryStore();
  const commit: Store['commit'] = async (change) =>
    change.sessions.length > 0 ? { kind: 'stale' } : inner.commit(change);
  return { ...inner, commit };
}
