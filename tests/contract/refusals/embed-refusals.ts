import assert from 'node:assert/strict';
import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import {
  anonymousToken,
  attempt,
  ATTEMPT,
  buyer,
  BY_TOKEN,
  confirm,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  INTENT_BODY,
  type Law,
  type Members,
  membersOf,
  nameOf,
  PICTURE,
  type Route,
  type Sent,
  simulate,
  textOf,
  unknownPath,
  waitingIntent,
  WALLET,
} from '../kit.js';
import { closeSession, CLOSINGS, SHORT_SESSIONS } from './closed-session.js';

const TOPIC = 'HTTP: refusals of the embed calls';

const ASKS = [
  { name: 'POST /v1/embed/quotes', path: '/v1/embed/quotes', base: ATTEMPT, success: 200 },
  { name: 'POST /v1/embed/intents', path: '/v1/embed/intents', base: INTENT_BODY, success: 201 },
] as const;

type Ask = (typeof ASKS)[number];

function ask(world: HttpWorld, { path, base }: Ask, token: string, body: Members = {}) {
  return world.send('POST', path, { token, body: { ...base, ...body } });
}

const FIXED = { flow: 'on_ramp', target_token: 'USDC', target_network: 'base', wallet_address: WALLET } as const;

const OTHER_TERMS: readonly Members[] = [
  { flow: 'off_ramp' },
  { currency: 'USD' },
  { target_token: 'ETH', target_network: 'base' },
  { target_network: 'ethereum' },
];

const CORRIDORS: readonly { readonly status: string; readonly create: Members; readonly ask: Members }[] = [
  { status: 'corridor_not_supported', create: { currency: 'GBP' }, ask: { currency: 'GBP' } },
  { status: 'corridor_not_supported', create: {}, ask: { target_token: 'DOGE' } },
  { status: 'corridor_not_supported', create: {}, ask: { target_network: 'solana' } },
  { status: 'amount_below_minimum', create: { amount: '0.99' }, ask: { amount: '0.99' } },
  { status: 'amount_above_maximum', create: { amount: '10000.01' }, ask: { amount: '10000.01' } },
  { status: 'asset_network_mismatch', create: {}, ask: { target_token: 'ETH', target_network: 'base' } },
];

const both: readonly Law<HttpSubject>[] = ASKS.flatMap((one) => [
  httpLaw(TOPIC, `${one.name} answers 400 amount_mismatch to any amount but the session's`, async (world) => {
    const { token } = await buyer(world);
    for (const amount of ['1.00', '100.01', '99.99999999', '1000.0', '10000']) {
      expectRefusal(await ask(world, one, token, { amount }), 400, 'amount_mismatch');
    }
  }),
  httpLaw(TOPIC, `${one.name} compares amounts as numbers: 100.0 is 100.00`, async (world) => {
    for (const amount of ['100', '100.0', '0100.00000000']) {
      const { token } = await buyer(world);
      const answer = expectStatus(await ask(world, one, token, { amount }), one.success);
      if (one.success === 201) assert.equal(answer.json['amount'], '100.00');
    }
  }),
  httpLaw(
    TOPIC,
    `${one.name} answers 400 terms_mismatch to any other flow, currency, token or network than the session fixes`,
    async (world) => {
      const { token } = await buyer(world, FIXED);
      for (const terms of OTHER_TERMS) expectRefusal(await ask(world, one, token, terms), 400, 'terms_mismatch');
    },
  ),
  httpLaw(TOPIC, `${one.name} takes what the session leaves open, and null for what it fixes`, async (world) => {
    const free = await buyer(world);
    expectStatus(await ask(world, one, free.token, { target_token: 'ETH', target_network: 'ethereum' }), one.success);
    const fixed = await buyer(world, FIXED);
    const nulls =
      one.success === 201
        ? { target_token: null, target_network: null, wallet_address: null }
        : { target_token: null, target_network: null };
    expectStatus(await ask(world, one, fixed.token, nulls), one.success);
  }),
  ...CORRIDORS.map((corridor) =>
    httpLaw(TOPIC, `${one.name} answers 422 ${corridor.status} to ${JSON.stringify(corridor.ask)}`, async (world) => {
      const { token } = await buyer(world, corridor.create);
      expectRefusal(await ask(world, one, token, corridor.ask), 422, corridor.status);
    }),
  ),
  httpLaw(
    TOPIC,
    `${one.name} answers 403 swap_not_enabled when the partner has no such entitlement`,
    async (world) => {
      const { token } = await buyer(world);
      const body = { flow: 'swap', source_token: 'ETH', source_network: 'ethereum', payment_method: 'crypto' };
      const rest = one.success === 201 ? { ...body, payment_details: null, refund_address: WALLET } : body;
      expectRefusal(await ask(world, one, token, rest), 403, 'swap_not_enabled');
    },
    { partner: { entitlements: [] } },
  ),
]);

const WITH_ANONYMOUS = BY_TOKEN.filter((route) => /^\/v1\/embed\/(intents|payment_methods)/.test(route.template));

const anonymous: readonly Law<HttpSubject>[] = [
  ...WITH_ANONYMOUS.map((route) =>
    httpLaw(TOPIC, `${nameOf(route)} answers 409 session_required to an anonymous token`, async (world) => {
      const token = await anonymousToken(world);
      const answer = await world.send(route.method, unknownPath(route), { token, ...sentTo(route) });
      expectRefusal(answer, 409, 'session_required');
    }),
  ),
  httpLaw(TOPIC, 'GET /v1/embed/session answers 404 session_not_found to an anonymous token', async (world) => {
    expectRefusal(
      await world.send('GET', '/v1/embed/session', { token: await anonymousToken(world) }),
      404,
      'session_not_found',
    );
  }),
  httpLaw(TOPIC, 'POST /v1/embed/quotes answers an anonymous token, on whatever terms it asks', async (world) => {
    const token = await anonymousToken(world);
    for (const amount of ['5.00', '100.00']) {
      const answer = expectStatus(
        await world.send('POST', '/v1/embed/quotes', { token, body: { ...ATTEMPT, amount } }),
        200,
      );
      assert.equal(answer.json['amount'], amount);
    }
  }),
];

/** A valid body. */
function sentTo({ template }: Pick<Route, 'template'>): Sent {
  if (template.endsWith('confirm')) return { body: { action: 'crypto_deposit' } };
  if (template.endsWith('{side}')) return PICTURE;
  return template === '/v1/embed/intents' ? { body: INTENT_BODY } : {};
}

const WITH_ID = BY_TOKEN.filter((route) => route.template.includes('{id}'));

const byId: readonly Law<HttpSubject>[] = WITH_ID.map((route) => {
  const code = route.template.startsWith('/v1/embed/intents') ? 'intent_not_found' : 'payment_method_not_found';
  return httpLaw(TOPIC, `${nameOf(route)} answers 404 ${code} to an unknown or malformed id`, async (world) => {
    const { token } = await buyer(world);
    for (const id of ['0'.repeat(24), 'x', '%00', '%F0%9F%98%80', 'x'.repeat(300)]) {
      expectRefusal(
        await world.send(route.method, route.template.replace('{id}', id).replace('{side}', 'front'), {
          token,
          ...sentTo(route),
        }),
        404,
        code,
      );
    }
  });
});

const closed: readonly Law<HttpSubject>[] = CLOSINGS.map((status) =>
  httpLaw(
    TOPIC,
    `POST /v1/embed/intents answers 409 session_not_open when the session is ${status}`,
    async (world) => {
      const { token, sessionId } = await buyer(world);
      await closeSession(world, sessionId, status);
      expectRefusal(await attempt(world, token), 409, 'session_not_open');
    },
    SHORT_SESSIONS,
  ),
);

export const embedRefusals: readonly Law<HttpSubject>[] = [
  ...both,
  ...anonymous,
  ...byId,
  ...closed,
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents answers 400 terms_mismatch to another wallet than the session fixes',
    async (world) => {
      const { token } = await buyer(world, FIXED);
      for (const wallet of [`0x${'1'.repeat(40)}`, WALLET.toLowerCase()]) {
        expectRefusal(await attempt(world, token, { wallet_address: wallet }), 400, 'terms_mismatch');
      }
      expectStatus(await attempt(world, token, { wallet_address: WALLET }), 201);
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents answers 409 intent_in_progress while the session has a live intent',
    async (world) => {
      const { token } = await buyer(world);
      await waitingIntent(world, token);
      expectRefusal(await attempt(world, token), 409, 'intent_in_progress');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents answers 404 quote_not_found to a quote of other terms or none',
    async (world) => {
      const first = await buyer(world);
      const quotes = expectStatus(
        await world.send('POST', '/v1/embed/quotes', { token: first.token, body: ATTEMPT }),
        200,
      );
      const quoteId = textOf(membersOf(listOf(quotes.json)[0]), 'id');
      const other = await buyer(world, { amount: '50.00' });
      for (const quote_id of [quoteId, 'quote_1', 'x'.repeat(255)]) {
        expectRefusal(await attempt(world, other.token, { amount: '50.00', quote_id }), 404, 'quote_not_found');
      }
      expectStatus(await attempt(world, first.token, { quote_id: quoteId }), 201);
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents answers 422 quote_expired once the quote is over, and not before',
    async (world) => {
      const { token } = await buyer(world);
      const quotes = expectStatus(await world.send('POST', '/v1/embed/quotes', { token, body: ATTEMPT }), 200);
      const quote_id = textOf(membersOf(listOf(quotes.json)[0]), 'id');
      await world.t.clock.advance(Date.parse(textOf(quotes.json, 'expires_at')) - world.t.clock.now('test') + 1);
      expectRefusal(await attempt(world, token, { quote_id }), 422, 'quote_expired');
      expectStatus(await attempt(world, token), 201);
    },
  ),
  httpLaw(
    TOPIC,
    "POST /v1/embed/intents answers 409 quota_exhausted when the month's quota is spent",
    async (world) => {
      const first = await buyer(world);
      const second = await buyer(world);
      expectStatus(await simulate(world, first.sessionId, 'succeed'), 200);
      expectRefusal(await attempt(world, second.token), 409, 'quota_exhausted');
      expectRefusal(await simulate(world, second.sessionId, 'succeed'), 409, 'quota_exhausted');
    },
    { partner: { completedSessionsQuota: 1 } },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents answers 409 too_many_attempts after ten attempts of one session',
    async (world) => {
      const { sessionId, token } = await buyer(world);
      const declined = { payment_details: { ...INTENT_BODY.payment_details, card_number: SANDBOX_CARDS.declines } };
      for (let n = 0; n < 10; n += 1) expectStatus(await attempt(world, token, declined), 201);
      expectRefusal(await attempt(world, token), 409, 'too_many_attempts');
      expectRefusal(await simulate(world, sessionId, 'succeed'), 409, 'too_many_attempts');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents/{id}/confirm answers 409 intent_not_confirmable to another action than the one asked for',
    async (world) => {
      const { token } = await buyer(world);
      const id = textOf(await waitingIntent(world, token), 'id');
      expectRefusal(await confirm(world, token, id, { action: 'crypto_deposit' }), 409, 'intent_not_confirmable');
      expectStatus(await confirm(world, token, id, { action: 'payment_authentication', code: '000000' }), 200);
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents/{id}/confirm answers 409 intent_not_confirmable when nothing is asked for',
    async (world) => {
      const { token } = await buyer(world);
      const body = { action: 'payment_authentication', code: '000000' };
      const processing = textOf(expectStatus(await attempt(world, token), 201).json, 'id');
      expectRefusal(await confirm(world, token, processing, body), 409, 'intent_not_confirmable');
      await world.t.clock.advance('1m');
      expectRefusal(await confirm(world, token, processing, body), 409, 'intent_not_confirmable');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents/{id}/cancel answers 409 session_processing while money may be moving',
    async (world) => {
      const { token } = await buyer(world);
      const id = textOf(expectStatus(await attempt(world, token), 201).json, 'id');
      expectRefusal(await world.send('POST', `/v1/embed/intents/${id}/cancel`, { token }), 409, 'session_processing');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents/{id}/cancel answers 409 intent_not_confirmable once the intent has ended',
    async (world) => {
      const { token } = await buyer(world);
      const id = textOf(await waitingIntent(world, token), 'id');
      expectStatus(await world.send('POST', `/v1/embed/intents/${id}/cancel`, { token }), 200);
      expectRefusal(
        await world.send('POST', `/v1/embed/intents/${id}/cancel`, { token }),
        409,
        'intent_not_confirmable',
      );
    },
  ),
];

function listOf(quotes: Members): readonly Members[] {
  const { quotes: list } = quotes;
  assert.ok(Array.isArray(list));
  return list.map(membersOf);
}
