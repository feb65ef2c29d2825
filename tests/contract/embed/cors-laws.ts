import assert from 'node:assert/strict';
import { SANDBOX_PAYMENT_TOKENS } from '@gateramp/adapters-provider-sandbox';
import { TEST_KEYS, TEST_WIDGET_ORIGINS } from '@gateramp/testing';
import {
  ALL_SESSIONS,
  ALL_TRANSACTIONS,
  type Answer,
  attempt,
  bootstrap,
  buyer,
  CARD,
  expectRefusal,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  nameOf,
  newest,
  open,
  ROUTES,
  savedMethod,
  SECRET,
  sendTo,
  type Sent,
  SHOP,
  textOf,
  unknownPath,
} from '../kit.js';

const TOPIC = 'HTTP: CORS';

const WIDGET = TEST_WIDGET_ORIGINS.test;
const FOREIGN = 'https://evil.example';
const EXPOSED = [
  'x-request-id',
  'x-ratelimit-limit-short',
  'x-ratelimit-remaining-short',
  'x-ratelimit-reset-short',
  'retry-after-short',
];

/** Origins that no embed call allows by CORS. */
const UNREADABLE = [
  SHOP,
  FOREIGN,
  'null',
  TEST_WIDGET_ORIGINS.live,
  `${WIDGET}.evil.example`,
  `${WIDGET}/`,
  WIDGET.toUpperCase(),
];

const WITH_CORS = ROUTES.filter((route) => route.cors);
const WITHOUT = ROUTES.filter((route) => !route.cors);

function named({ headers }: Answer): string | undefined {
  return headers['access-control-allow-origin'];
}

/** The state that a refused call must not change: sessions, transactions, and webhooks about them. */
async function stateOf({ t }: HttpWorld): Promise<readonly unknown[]> {
  const scope = { partnerId: t.partner.id, mode: 'test' } as const;
  const sessions = await t.store.list('session', scope, ALL_SESSIONS, newest(100), t.clock.now('test'));
  const transactions = await t.store.list('transaction', scope, ALL_TRANSACTIONS, newest(100));
  return structuredClone([sessions, transactions, t.deliveries()]);
}

function words(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').map((word) => word.trim().toLowerCase());
}

function checkNamed(answer: Answer, origin: string): void {
  assert.equal(named(answer), origin);
  // Cookies of the page must never be sent: tokens are the only authority.
  assert.equal(answer.headers['access-control-allow-credentials'], undefined);
  for (const header of EXPOSED)
    assert.ok(words(answer.headers['access-control-expose-headers']).includes(header), header);
  assert.ok(words(answer.headers['vary']).includes('origin'));
}

const preflights: readonly Law<HttpSubject>[] = WITH_CORS.map((route) =>
  httpLaw(
    TOPIC,
    `a preflight of ${nameOf(route)} passes for any origin, and lets the checkout's headers through`,
    async (world) => {
      for (const origin of [SHOP, WIDGET, FOREIGN, 'null']) {
        const headers = {
          'access-control-request-method': route.method,
          'access-control-request-headers': 'authorization,content-type',
        };
        const answer = expectStatus(await world.send('OPTIONS', unknownPath(route), { origin, headers }), 204);
        assert.equal(answer.text, '');
        assert.equal(named(answer), origin);
        assert.ok(words(answer.headers['access-control-allow-methods']).includes(route.method.toLowerCase()));
        for (const header of ['authorization', 'content-type', 'idempotency-key', 'x-embed-token']) {
          assert.ok(words(answer.headers['access-control-allow-headers']).includes(header), header);
        }
        assert.ok(words(answer.headers['vary']).includes('origin'));
      }
    },
  ),
);

const without: readonly Law<HttpSubject>[] = WITHOUT.map((route) =>
  httpLaw(TOPIC, `${nameOf(route)} is for servers: no origin may preflight or read it`, async (world) => {
    for (const origin of [SHOP, WIDGET]) {
      const preflight = await world.send('OPTIONS', unknownPath(route), {
        origin,
        headers: { 'access-control-request-method': route.method },
      });
      expectRefusal(preflight, 404, 'route_not_found');
      assert.equal(named(preflight), undefined);
    }
    const { path, sent } = await route.sample(world, 'test');
    const answer = expectStatus(await sendTo(world, route, { path, sent: { ...sent, origin: SHOP } }), route.success);
    assert.equal(named(answer), undefined);
  }),
);

const embed: readonly Law<HttpSubject>[] = WITH_CORS.filter((route) => route.auth === 'embed').flatMap((route) => [
  httpLaw(TOPIC, `${nameOf(route)} names the widget's origin alone, and always varies by Origin`, async (world) => {
    const { path, sent } = await route.sample(world, 'test');
    const answer = expectStatus(await sendTo(world, route, { path, sent: { ...sent, origin: WIDGET } }), route.success);
    checkNamed(answer, WIDGET);
    for (const origin of UNREADABLE) {
      const other = await sendTo(world, route, { path, sent: { ...sent, origin } });
      assert.equal(named(other), undefined);
      assert.ok(words(other.headers['vary']).includes('origin'));
    }
    const none = await sendTo(world, route, { path, sent });
    assert.ok(words(none.headers['vary']).includes('origin'));
  }),
  httpLaw(
    TOPIC,
    `${nameOf(route)} answers 403 origin_not_allowed to an origin that could not read the answer, and does nothing`,
    async (world) => {
      const { path, sent } = await route.sample(world, 'test');
      const idempotencyKey = freshKey();
      const before = await stateOf(world);
      for (const origin of UNREADABLE) {
        const answer = await sendTo(world, route, { path, sent: { ...sent, idempotencyKey, origin } });
        expectRefusal(answer, 403, 'origin_not_allowed');
        assert.match(textOf(answer.json, 'message'), /Origin/);
      }
      assert.deepEqual(await stateOf(world), before);
      // The key is still free: the refused request did not take it.
      expectStatus(await sendTo(world, route, { path, sent: { ...sent, idempotencyKey } }), route.success);
    },
  ),
  httpLaw(TOPIC, `the widget may read the refusals of ${nameOf(route)}`, async (world) => {
    const answer = await world.send(route.method, unknownPath(route), { origin: WIDGET });
    expectRefusal(answer, 401, 'invalid_embed_token');
    checkNamed(answer, WIDGET);
  }),
]);

export const corsLaws: readonly Law<HttpSubject>[] = [
  ...preflights,
  ...without,
  ...embed,
  httpLaw(
    TOPIC,
    "POST /v1/embed/bootstrap names the partner's allowed origins, also in its refusals",
    async (world) => {
      checkNamed(expectStatus(await bootstrap(world, null), 200), SHOP);
      checkNamed(await bootstrap(world, 'gsec_unknown'), SHOP);
      checkNamed(await bootstrap(world, null, { body: { client_secret: 'x' } }), SHOP);
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/bootstrap refuses an origin that is not allowed before it looks at the body, and lets its page read why',
    async (world) => {
      const secret = textOf(await open(world), 'client_secret');
      await world.t.clock.advance('25h');
      const before = await stateOf(world);
      for (const origin of [
        FOREIGN,
        'null',
        'http://shop.example',
        `${SHOP}.evil.example`,
        `${SHOP}/`,
        SHOP.toUpperCase(),
      ]) {
        for (const body of [{}, { clientSecret: secret }, { colour: 'red' }]) {
          const answer = await bootstrap(world, null, { origin, body });
          expectRefusal(answer, 403, 'origin_not_allowed');
          checkNamed(answer, origin);
        }
      }
      // Reads must not even expire the session.
      assert.deepEqual(await stateOf(world), before);
    },
  ),
  httpLaw(
    TOPIC,
    "every refusal of POST /v1/embed/bootstrap names the caller's origin, so that its page can read why",
    async (world) => {
      const refusals: readonly (readonly [number, string, Sent])[] = [
        [401, 'missing_credential', { key: '', headers: { authorization: '' } }],
        [401, 'malformed_credential', { key: 'nonsense' }],
        [403, 'live_key_on_sandbox', { key: TEST_KEYS.publishable.live }],
        [403, 'wrong_key_type', { key: SECRET }],
        [403, 'invalid_publishable_key', { key: 'pk_test_00000000000000000unknown' }],
        [400, 'unknown_parameter', {}],
        [400, 'malformed_json', { body: '{' }],
        [415, 'unsupported_media_type', { body: '{}', headers: { 'content-type': 'text/plain' } }],
        [404, 'session_not_found', { body: { clientSecret: 'gsec_unknown' } }],
      ];
      for (const origin of [SHOP, WIDGET]) {
        for (const [status, code, sent] of refusals) {
          const path = `/v1/embed/bootstrap${code === 'unknown_parameter' ? '?colour=red' : ''}`;
          const answer = await world.send('POST', path, { key: TEST_KEYS.publishable.test, body: {}, ...sent, origin });
          expectRefusal(answer, status, code);
          checkNamed(answer, origin);
        }
      }
      checkNamed(await world.send('POST', '/v1/embed/bootstrap', { key: 'nonsense', origin: FOREIGN }), FOREIGN);
    },
  ),
  httpLaw(
    TOPIC,
    'a page may read the 429 of POST /v1/embed/bootstrap, and when to come back',
    async (world) => {
      let answer = await bootstrap(world, null);
      for (let each = 0; each < 30; each += 1) answer = await bootstrap(world, null);
      expectRefusal(answer, 429, 'rate_limit_exceeded');
      checkNamed(answer, SHOP);
    },
    { rateLimits: 'on' },
  ),
  httpLaw(TOPIC, 'every answer varies by Origin, also where no origin is ever named', async (world) => {
    for (const path of ['/health', '/nowhere', '/v1/gate_sessions', '/v1/embed/session']) {
      assert.deepEqual(words((await world.send('GET', path, { key: SECRET })).headers['vary']), ['origin']);
    }
  }),
  httpLaw(TOPIC, "POST /v1/embed/bootstrap names the widget's origin when it opens a session", async (world) => {
    const session = await open(world);
    checkNamed(expectStatus(await bootstrap(world, textOf(session, 'client_secret'), { origin: WIDGET }), 200), WIDGET);
  }),
  httpLaw(
    TOPIC,
    'the widget may read a 429, and when to come back',
    async (world) => {
      const { token } = await buyer(world);
      let answer = await world.send('GET', '/v1/embed/session', { token, origin: WIDGET });
      for (let each = 0; each < 120; each += 1)
        answer = await world.send('GET', '/v1/embed/session', { token, origin: WIDGET });
      expectRefusal(answer, 429, 'rate_limit_exceeded');
      checkNamed(answer, WIDGET);
    },
    { rateLimits: 'on' },
  ),
  httpLaw(
    TOPIC,
    "an attempt with card fields is 403 origin_not_allowed without the widget's Origin, and does nothing",
    async (world) => {
      const saved = await savedMethod(world);
      const { token } = saved;
      const before = await stateOf(world);
      const idempotencyKey = freshKey();
      const cards = [CARD, { ...CARD, save: true }, { saved_method: saved.id, cvc: '123' }];
      for (const payment_details of cards) {
        const answer = await attempt(world, token, { payment_details }, { origin: null, idempotencyKey });
        expectRefusal(answer, 403, 'origin_not_allowed');
      }
      assert.deepEqual(await stateOf(world), before);
      expectStatus(await attempt(world, token, { payment_details: CARD }, { idempotencyKey }), 201);
    },
  ),
  httpLaw(TOPIC, "a token of a provider's component needs no Origin", async (world) => {
    const { token } = await buyer(world);
    const payment_details = { provider: 'sandbox', token: SANDBOX_PAYMENT_TOKENS.succeeds };
    expectStatus(await attempt(world, token, { payment_details }, { origin: null }), 201);
  }),
  ...(['test', 'live'] as const).map((mode) =>
    httpLaw(
      TOPIC,
      `without a checkout page, cards are ${mode === 'test' ? 'taken in test mode' : '403 origin_not_allowed in live mode'}`,
      async (world) => {
        const { token } = await buyer(world, {}, mode);
        const answer = await attempt(world, token, { payment_details: CARD }, { mode, origin: null });
        if (mode === 'test') expectStatus(answer, 201);
        else expectRefusal(answer, 403, 'origin_not_allowed');
      },
      { ports: { hosts: {} } },
    ),
  ),
  httpLaw(TOPIC, 'OPTIONS without an Origin is no preflight: 404 route_not_found', async (world) => {
    expectRefusal(await world.send('OPTIONS', '/v1/embed/bootstrap', { key: SECRET }), 404, 'route_not_found');
  }),
];
