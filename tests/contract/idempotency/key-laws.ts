import assert from 'node:assert/strict';
import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import {
  admitRival,
  anonymousToken,
  type Answer,
  attempt,
  buyer,
  card,
  create,
  CREATE_BODY,
  expectRefusal,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  INTENT_BODY,
  itemsOf,
  type Law,
  nameOf,
  open,
  RIVAL_SECRET,
  ROUTES,
  SECRET,
  sendTo,
  SHOP,
  textOf,
  waitingIntent,
} from '../kit.js';

const TOPIC = 'HTTP: idempotency';

const LIVE_HEADERS = [
  'x-ratelimit-limit-short',
  'x-ratelimit-remaining-short',
  'x-ratelimit-reset-short',
  'date',
  'connection',
  'keep-alive',
];

/** Status, body and all headers except those of rate limits and the connection. */
function asStored({ status, headers, text }: Answer) {
  return {
    status,
    text,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !LIVE_HEADERS.includes(name))),
  };
}

async function countSessions(world: HttpWorld): Promise<number> {
  return itemsOf(await world.send('GET', '/v1/gate_sessions?limit=100', { key: SECRET })).length;
}

const UNUSABLE = ['', ' ', 'a b', 'x'.repeat(256), 'k\u00e9y', '\u00a0', 'a\tb'];

const HONOURED = ROUTES.filter((route) => route.idempotency === 'honoured');
/** Used as the other request in the law of keys that were used for another request. */
const CREATE = 'POST /v1/gate_sessions';
const REQUIRED = ROUTES.filter((route) => route.idempotency === 'required');
const IGNORED = ROUTES.filter((route) => route.idempotency === 'ignored');

export const idempotencyLaws: readonly Law<HttpSubject>[] = [
  ...REQUIRED.map((route) =>
    httpLaw(TOPIC, `${nameOf(route)} answers 400 idempotency_key_required without a key`, async (world) => {
      const { path, sent } = await route.sample(world, 'test');
      const { idempotencyKey: _, ...unkeyed } = sent;
      expectRefusal(await world.send(route.method, path, unkeyed), 400, 'idempotency_key_required');
    }),
  ),
  ...ROUTES.filter((route) => route.idempotency !== 'ignored').map((route) =>
    httpLaw(
      TOPIC,
      `${nameOf(route)} answers 400 idempotency_key_invalid to a key that is not 1 to 255 visible ASCII characters`,
      async (world) => {
        const { path, sent } = await route.sample(world, 'test');
        const { idempotencyKey: _, ...rest } = sent;
        for (const key of UNUSABLE) {
          const headers = { 'idempotency-key': key };
          expectRefusal(await world.send(route.method, path, { ...rest, headers }), 400, 'idempotency_key_invalid');
        }
        expectStatus(await world.send(route.method, path, { ...rest, idempotencyKey: '~'.repeat(255) }), route.success);
      },
    ),
  ),
  ...[...HONOURED, ...REQUIRED].map((route) =>
    httpLaw(
      TOPIC,
      `${nameOf(route)} gives the same request with the same key the same answer, byte for byte, its X-Request-Id included`,
      async (world) => {
        const { path, sent } = await route.sample(world, 'test');
        const keyed = { path, sent: { ...sent, idempotencyKey: freshKey() } };
        const first = expectStatus(await sendTo(world, route, keyed), route.success);
        for (let again = 0; again < 2; again += 1)
          assert.deepEqual(asStored(await sendTo(world, route, keyed)), asStored(first));
      },
    ),
  ),
  httpLaw(
    TOPIC,
    "keys of anonymous browsers are their own: they meet neither the partner's nor one another's",
    async (world) => {
      const sent = { idempotencyKey: freshKey() };
      expectStatus(await create(world, {}, sent), 201);
      const tokens = [await anonymousToken(world), await anonymousToken(world)];
      const answers = await Promise.all(
        [...tokens, ...tokens].map((token, nth) => attempt(world, token, { amount: `${nth + 1}.00` }, sent)),
      );
      for (const answer of answers.slice(0, 2)) expectRefusal(answer, 409, 'session_required');
      for (const token of tokens) expectRefusal(await attempt(world, token, {}, sent), 409, 'session_required');
    },
  ),
  httpLaw(TOPIC, 'a replay is of the first moment: what has happened since does not show in it', async (world) => {
    const idempotencyKey = freshKey();
    const first = await create(world, {}, { idempotencyKey });
    await world.send('POST', `/v1/gate_sessions/${textOf(first.json, 'id')}/cancel`, { key: SECRET });
    await world.t.gate.admin.savePartner({ ...world.t.partner, allowedOrigins: [] });
    assert.deepEqual(asStored(await create(world, {}, { idempotencyKey })), asStored(first));
  }),
  httpLaw(
    TOPIC,
    'a replay makes nothing: one session and one created event, however often it is asked',
    async (world) => {
      const idempotencyKey = freshKey();
      for (let each = 0; each < 4; each += 1) await create(world, {}, { idempotencyKey });
      await world.t.clock.advance('1m');
      assert.equal(await countSessions(world), 1);
      assert.equal(world.t.deliveries().length, 1);
    },
  ),
  httpLaw(TOPIC, 'key order and space do not make another request; numbers as written do', async (world) => {
    const idempotencyKey = freshKey();
    const first = await create(world, { metadata: { a: 1, b: 2 } }, { idempotencyKey });
    const reordered = `{ "metadata" : {"b":2,\n"a":1}, "return_url":"${CREATE_BODY.return_url}","currency":"EUR","amount":"100.00"}`;
    assert.deepEqual(asStored(await create(world, {}, { idempotencyKey, body: reordered })), asStored(first));
    const escaped = reordered.replace('EUR', '\\u0045UR');
    assert.deepEqual(asStored(await create(world, {}, { idempotencyKey, body: escaped })), asStored(first));
    expectRefusal(
      await create(world, {}, { idempotencyKey, body: reordered.replace('"b":2', '"b":2.0') }),
      422,
      'idempotency_key_mismatch',
    );
  }),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions answers 422 idempotency_key_mismatch to the same key with another body, and keeps the first',
    async (world) => {
      const idempotencyKey = freshKey();
      const first = await create(world, {}, { idempotencyKey });
      for (const body of [
        { amount: '100.0' },
        { user_reference: 'u' },
        { metadata: {} },
        { return_url: `${SHOP}/other` },
      ]) {
        expectRefusal(await create(world, body, { idempotencyKey }), 422, 'idempotency_key_mismatch');
      }
      assert.deepEqual(asStored(await create(world, {}, { idempotencyKey })), asStored(first));
      assert.equal(await countSessions(world), 1);
    },
  ),
  ...[...HONOURED, ...REQUIRED.filter((route) => nameOf(route) !== CREATE)].map((route) =>
    httpLaw(
      TOPIC,
      `${nameOf(route)} answers 422 idempotency_key_mismatch to a key that was used for another request`,
      async (world) => {
        const { path, sent } = await route.sample(world, 'test');
        const idempotencyKey = freshKey();
        if (sent.token === undefined) await create(world, {}, { idempotencyKey });
        else assert.ok((await attempt(world, sent.token, { amount: '1.00' }, { idempotencyKey })).status >= 400);
        const first = await world.send(route.method, path, { ...sent, idempotencyKey });
        if (sent.token === undefined) return expectRefusal(first, 422, 'idempotency_key_mismatch');
        // A refused request does not take its key, so it was still free; now it is used, and another route is another request.
        expectStatus(first, route.success);
        const other = route.template === '/v1/embed/intents' ? { ...INTENT_BODY, country_code: 'US' } : INTENT_BODY;
        expectRefusal(
          await world.send('POST', '/v1/embed/intents', { token: sent.token, idempotencyKey, body: other }),
          422,
          'idempotency_key_mismatch',
        );
      },
    ),
  ),
  httpLaw(
    TOPIC,
    'a refused request changed nothing: the same key may be used again with a corrected body',
    async (world) => {
      const idempotencyKey = freshKey();
      expectRefusal(await create(world, { amount: '0' }, { idempotencyKey }), 400, 'validation_failed');
      expectRefusal(
        await create(world, { return_url: 'https://foreign.example' }, { idempotencyKey }),
        403,
        'origin_not_allowed',
      );
      expectStatus(await create(world, {}, { idempotencyKey }), 201);
    },
  ),
  httpLaw(TOPIC, 'one key is free again for every other partner and mode', async (world) => {
    await admitRival(world);
    const idempotencyKey = freshKey();
    const mine = await create(world, {}, { idempotencyKey });
    const rivals = await create(world, { amount: '5.00' }, { idempotencyKey, key: RIVAL_SECRET });
    const live = await create(world, { amount: '6.00' }, { idempotencyKey, mode: 'live' });
    const seen = [mine, rivals, live].map((answer) => expectStatus(answer, 201).json['id']);
    assert.equal(new Set(seen).size, 3);
  }),
  httpLaw(TOPIC, 'any valid key of the partner replays, whichever key made the request', async (world) => {
    const second = 'sk_test_0000000000000secondsecret';
    await world.t.gate.admin.addKey(world.t.partner.id, second);
    const idempotencyKey = freshKey();
    const first = await create(world, {}, { idempotencyKey });
    assert.deepEqual(asStored(await create(world, {}, { idempotencyKey, key: second })), asStored(first));
  }),
  httpLaw(
    TOPIC,
    "on embed calls one key is free again for every other session, and apart from the partner's own",
    async (world) => {
      const idempotencyKey = freshKey();
      const session = await open(world, {}, { idempotencyKey });
      const [first, second] = [await buyer(world), await buyer(world)];
      const intents = [
        await attempt(world, first.token, {}, { idempotencyKey }),
        await attempt(world, second.token, {}, { idempotencyKey }),
      ];
      const ids = [session, ...intents.map((answer) => expectStatus(answer, 201).json)].map((one) => one['id']);
      assert.equal(new Set(ids).size, 3);
    },
  ),
  httpLaw(TOPIC, 'a keyed confirmation is given to the provider once, and its first answer is kept', async (world) => {
    const { token } = await buyer(world);
    const id = textOf(await waitingIntent(world, token), 'id');
    const idempotencyKey = freshKey();
    const confirm = (code: string) =>
      world.send('POST', `/v1/embed/intents/${id}/confirm`, {
        token,
        idempotencyKey,
        body: { action: 'payment_authentication', code },
      });
    const first = expectStatus(await confirm('000000'), 200);
    await world.t.clock.advance('1m');
    assert.deepEqual(asStored(await confirm('000000')), asStored(first));
    expectRefusal(await confirm('111111'), 422, 'idempotency_key_mismatch');
  }),
  httpLaw(TOPIC, 'a keyed attempt that was declined stays declined: its failed intent is the answer', async (world) => {
    const { token } = await buyer(world);
    const idempotencyKey = freshKey();
    const first = expectStatus(await attempt(world, token, card(SANDBOX_CARDS.declines), { idempotencyKey }), 201);
    assert.equal(first.json['status'], 'failed');
    assert.deepEqual(
      asStored(await attempt(world, token, card(SANDBOX_CARDS.declines), { idempotencyKey })),
      asStored(first),
    );
  }),
  ...IGNORED.map((route) =>
    httpLaw(TOPIC, `${nameOf(route)} ignores an Idempotency-Key, used or unusable`, async (world) => {
      const idempotencyKey = freshKey();
      await create(world, {}, { idempotencyKey });
      const { path, sent } = await route.sample(world, 'test');
      expectStatus(
        await sendTo(world, route, {
          path,
          sent: { ...sent, headers: { ...sent.headers, 'idempotency-key': 'not usable' } },
        }),
        route.success,
      );
      const again = await sendTo(world, route, { path, sent: { ...sent, idempotencyKey } });
      const isEnd = route.template.endsWith('/cancel');
      const ended = route.template.startsWith('/v1/rails/') ? 'intent_not_confirmable' : 'session_not_open';
      if (isEnd) expectRefusal(again, 409, ended);
      else expectStatus(again, route.success);
    }),
  ),
  httpLaw(TOPIC, 'a key is kept for 24 hours; afterwards it makes a new session', async (world) => {
    const idempotencyKey = freshKey();
    const first = await create(world, {}, { idempotencyKey });
    await world.t.clock.advance('23h');
    assert.deepEqual(asStored(await create(world, {}, { idempotencyKey })), asStored(first));
    await world.t.clock.advance('1h');
    await world.t.clock.advance(1);
    const later = expectStatus(await create(world, { amount: '7.00' }, { idempotencyKey }), 201);
    assert.notEqual(later.json['id'], first.json['id']);
  }),
  httpLaw(
    TOPIC,
    'of two requests with one key at once one wins; the other gets its bytes or 409 operation_in_progress with the exact message',
    async (world) => {
      const idempotencyKey = freshKey();
      const answers = await Promise.all(Array.from({ length: 8 }, () => create(world, {}, { idempotencyKey })));
      const made = answers.filter((answer) => answer.status === 201);
      assert.ok(made.length >= 1);
      assert.equal(new Set(made.map((answer) => answer.text)).size, 1);
      for (const answer of answers.filter((one) => one.status !== 201)) {
        expectRefusal(answer, 409, 'operation_in_progress');
        assert.equal(answer.json['message'], 'Operation already in progress');
      }
      assert.equal(await countSessions(world), 1);
      assert.equal((await create(world, {}, { idempotencyKey })).text, made[0]?.text);
    },
  ),
  httpLaw(
    TOPIC,
    'replays count against the rate limit, and their rate headers are live',
    async (world) => {
      const idempotencyKey = freshKey();
      const remaining: (string | undefined)[] = [];
      for (let each = 0; each < 10; each += 1) {
        const answer = expectStatus(await create(world, {}, { idempotencyKey }), 201);
        remaining.push(answer.headers['x-ratelimit-remaining-short']);
      }
      assert.deepEqual(remaining, ['9', '8', '7', '6', '5', '4', '3', '2', '1', '0']);
      expectRefusal(await create(world, {}, { idempotencyKey }), 429, 'rate_limit_exceeded');
    },
    { rateLimits: 'on' },
  ),
];
