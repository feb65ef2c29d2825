import assert from 'node:assert/strict';
import { nodeCrypto } from '@gateramp/core/runtime';
import { TEST_KEYS, TEST_WIDGET_ORIGINS } from '@gateramp/testing';
import {
  admitRival,
  attempt,
  bootstrap,
  cancel,
  expectRefusal,
  expectStatus,
  failedFields,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  INTENT_BODY,
  type Law,
  type Members,
  membersOf,
  open,
  PUBLISHABLE,
  RIVAL_PUBLISHABLE,
  SHOP,
  simulate,
  textOf,
  WALLET,
} from '../kit.js';
import { claimsOf, headerOf } from '../jwt.js';

const TOPIC = 'HTTP: bootstrap';

const WIDGET = TEST_WIDGET_ORIGINS.test;
const SWAP = { flow: 'swap', target_token: 'USDC', target_network: 'base' } as const;

interface Unavailable {
  readonly reason: string;
  readonly create?: Members;
  readonly partner?: { readonly completedSessionsQuota: number };
  readonly close: (world: HttpWorld, id: string) => Promise<unknown>;
  /** The refusal of an intent with the token that was nevertheless issued. */
  readonly refusal: readonly [number, string];
}

const UNAVAILABLE: readonly Unavailable[] = [
  {
    reason: 'session_completed',
    close: (world, id) => simulate(world, id, 'succeed'),
    refusal: [409, 'session_not_open'],
  },
  { reason: 'session_cancelled', close: (world, id) => cancel(world, id), refusal: [409, 'session_not_open'] },
  {
    reason: 'session_expired',
    close: (world) => world.t.clock.advance(86_400_001),
    refusal: [409, 'session_not_open'],
  },
  {
    reason: 'quota_exhausted',
    partner: { completedSessionsQuota: 1 },
    refusal: [409, 'quota_exhausted'],
    close: async (world) => simulate(world, textOf(await open(world), 'id'), 'succeed'),
  },
  {
    reason: 'flow_not_enabled',
    create: SWAP,
    refusal: [403, 'swap_not_enabled'],
    close: (world) => world.t.gate.admin.savePartner({ ...world.t.partner, entitlements: [] }),
  },
  {
    reason: 'maintenance',
    refusal: [403, 'partner_suspended'],
    close: (world) => world.t.gate.admin.suspendPartner(world.t.partner.id),
  },
];

const unavailable: readonly Law<HttpSubject>[] = UNAVAILABLE.map(({ reason, create, partner, close, refusal }) =>
  httpLaw(
    TOPIC,
    `answers available false with ${reason}, issues a token all the same, and refuses intents`,
    async (world) => {
      const session = await open(world, create);
      const secret = textOf(session, 'client_secret');
      assert.equal(expectStatus(await bootstrap(world, secret), 200).json['available'], true);
      await close(world, textOf(session, 'id'));
      const { json } = expectStatus(await bootstrap(world, secret), 200);
      assert.deepEqual([json['available'], json['unavailable_reason']], [false, reason]);
      const flow =
        create === undefined
          ? {}
          : { ...SWAP, payment_method: 'crypto', payment_details: null, refund_address: WALLET };
      expectRefusal(await attempt(world, textOf(json, 'embed_token'), flow), ...refusal);
    },
    partner === undefined ? {} : { partner },
  ),
);

export const bootstrapLaws: readonly Law<HttpSubject>[] = [
  ...unavailable,
  httpLaw(
    TOPIC,
    'POST /v1/embed/bootstrap answers one 404 session_not_found to an unknown id, another partner, another mode and a wrong secret',
    async (world) => {
      await admitRival(world);
      const secret = textOf(await open(world), 'client_secret');
      const live = textOf(await open(world, {}, { mode: 'live' }), 'client_secret');
      const wrong = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
      const answers = [
        await bootstrap(world, `gsec_${'0'.repeat(24)}_${'a'.repeat(32)}`),
        await bootstrap(world, secret, { key: RIVAL_PUBLISHABLE }),
        await bootstrap(world, live),
        await bootstrap(world, wrong),
        await bootstrap(world, secret.slice(0, -1)),
        await bootstrap(world, `${secret}a`),
        await bootstrap(world, secret.toUpperCase()),
        await bootstrap(world, ''),
        await bootstrap(world, 'nonsense'),
      ];
      for (const answer of answers) expectRefusal(answer, 404, 'session_not_found');
      assert.equal(new Set(answers.map((answer) => answer.json['message'])).size, 1);
    },
  ),
  httpLaw(TOPIC, 'a client secret opens its session as often as needed while it is open', async (world) => {
    const session = await open(world);
    for (let each = 0; each < 3; each += 1) {
      const { json } = expectStatus(await bootstrap(world, textOf(session, 'client_secret')), 200);
      assert.equal(membersOf(json['session'])['id'], session['id']);
    }
  }),
  httpLaw(
    TOPIC,
    'POST /v1/embed/bootstrap answers 403 origin_not_allowed without an Origin, naming the header',
    async (world) => {
      const answer = await world.send('POST', '/v1/embed/bootstrap', { key: TEST_KEYS.publishable.test, body: {} });
      expectRefusal(answer, 403, 'origin_not_allowed');
      assert.match(String(answer.json['message']), /Origin/);
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/bootstrap answers 403 origin_not_allowed to an origin that is not exactly one of the allowed ones',
    async (world) => {
      for (const origin of [
        'https://evil.example',
        'http://shop.example',
        'https://shop.example:444',
        'https://a.shop.example',
        `${SHOP}/`,
        'null',
        TEST_WIDGET_ORIGINS.live,
      ]) {
        expectRefusal(await bootstrap(world, null, { origin }), 403, 'origin_not_allowed');
      }
    },
  ),
  httpLaw(
    TOPIC,
    "POST /v1/embed/bootstrap answers 403 origin_not_allowed to the widget's origin unless a clientSecret comes with it",
    async (world) => {
      const secret = textOf(await open(world), 'client_secret');
      expectStatus(await bootstrap(world, secret, { origin: WIDGET }), 200);
      for (const body of [{}, { clientSecret: null }])
        expectRefusal(await bootstrap(world, null, { origin: WIDGET, body }), 403, 'origin_not_allowed');
      expectRefusal(await bootstrap(world, 'gsec_unknown', { origin: WIDGET }), 404, 'session_not_found');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/bootstrap answers 400 unknown_field to client_secret, naming clientSecret',
    async (world) => {
      const answer = await bootstrap(world, null, { body: { client_secret: 'x' } });
      expectRefusal(answer, 400, 'unknown_field');
      assert.match(String(answer.json['message']), /clientSecret/);
      assert.deepEqual(failedFields(answer), ['client_secret']);
      expectRefusal(await bootstrap(world, null, { body: { flow: 'swap' } }), 400, 'unknown_field');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/bootstrap takes no body, an empty one and null, and answers 400 to a secret that is not text',
    async (world) => {
      for (const sent of [{ body: {} }, { body: { clientSecret: null } }, { body: '' }])
        expectStatus(await bootstrap(world, null, sent), 200);
      const bare = { key: TEST_KEYS.publishable.test, origin: SHOP };
      expectStatus(await world.send('POST', '/v1/embed/bootstrap', bare), 200);
      for (const clientSecret of [5, {}, [], true])
        expectRefusal(await bootstrap(world, null, { body: { clientSecret } }), 400, 'validation_failed');
      expectRefusal(
        await bootstrap(world, null, { headers: { 'content-type': 'text/plain' } }),
        415,
        'unsupported_media_type',
      );
      expectRefusal(await bootstrap(world, null, { body: `{"clientSecret":"\\u0000"}` }), 400, 'validation_failed');
    },
  ),
  httpLaw(
    TOPIC,
    'an embed token is a JWT of one type and algorithm, for one audience, and stamped with the terms',
    async (world) => {
      const terms = {
        flow: 'on_ramp',
        amount: '0100.00',
        target_token: 'USDC',
        target_network: 'base',
        wallet_address: WALLET,
      };
      const session = await open(world, { ...terms, currency: 'eur' });
      const { json } = expectStatus(await bootstrap(world, textOf(session, 'client_secret')), 200);
      const token = textOf(json, 'embed_token');
      assert.deepEqual(headerOf(token), { alg: 'HS256', typ: 'gate-embed+jwt' });
      const { jti, iat, exp, ...claims } = claimsOf(token);
      assert.match(String(jti), /^[0-9a-f-]{36}$/);
      assert.equal(Number(exp) - Number(iat), 3600);
      assert.equal(Number(exp) * 1000, Date.parse(textOf(json, 'expires_at')));
      const key = nodeCrypto({ masterKey: null }).hash(PUBLISHABLE);
      const bound = { partner: world.t.partner.id, mode: 'test', key, origin: SHOP, session: session['id'] };
      assert.deepEqual(claims, { aud: 'gate-embed', ...bound, ...terms, currency: 'EUR' });
      assert.equal(JSON.stringify(claims).includes(textOf(session, 'client_secret')), false);
    },
  ),
  httpLaw(TOPIC, 'an anonymous token names no session and no terms', async (world) => {
    const { json } = expectStatus(await bootstrap(world, null), 200);
    const claims = claimsOf(textOf(json, 'embed_token'));
    for (const name of ['session', 'flow', 'amount', 'currency', 'target_token', 'target_network', 'wallet_address'])
      assert.equal(claims[name], null);
  }),
  httpLaw(
    TOPIC,
    'capabilities name the flows the partner may offer, or the one the session is locked to',
    async (world) => {
      const flowsOf = async (secret: string | null) =>
        membersOf(expectStatus(await bootstrap(world, secret), 200).json['capabilities'])['flows'];
      assert.deepEqual(await flowsOf(null), ['on_ramp', 'off_ramp', 'swap']);
      assert.deepEqual(await flowsOf(textOf(await open(world, { flow: 'off_ramp' }), 'client_secret')), ['off_ramp']);
      await world.t.gate.admin.savePartner({ ...world.t.partner, entitlements: [] });
      assert.deepEqual(await flowsOf(null), ['on_ramp', 'off_ramp']);
    },
  ),
  httpLaw(
    TOPIC,
    'capabilities name the payment methods of the flows that are offered, and of no other',
    async (world) => {
      const methodsOf = async (secret: string | null) =>
        membersOf(expectStatus(await bootstrap(world, secret), 200).json['capabilities'])['payment_methods'];
      const locked = async (flow: string) => methodsOf(textOf(await open(world, { flow }), 'client_secret'));
      assert.deepEqual(await methodsOf(null), ['card', 'bank_transfer', 'crypto']);
      assert.deepEqual(await locked('on_ramp'), ['card', 'bank_transfer']);
      assert.deepEqual(await locked('off_ramp'), ['bank_transfer']);
      assert.deepEqual(await locked('swap'), ['crypto']);
      await world.t.gate.admin.savePartner({ ...world.t.partner, entitlements: [] });
      assert.deepEqual(await methodsOf(null), ['card', 'bank_transfer']);
    },
  ),
  httpLaw(TOPIC, 'capabilities name the currencies and assets of the flows that are offered', async (world) => {
    const capabilitiesOf = async (secret: string | null) =>
      membersOf(expectStatus(await bootstrap(world, secret), 200).json['capabilities']);
    const all = await capabilitiesOf(null);
    const flows = ['on_ramp', 'off_ramp', 'swap'];
    assert.deepEqual(all['currencies'], [
      { code: 'EUR', decimals: 2, flows },
      { code: 'USD', decimals: 2, flows },
    ]);
    assert.deepEqual(all['assets'], [
      { code: 'USDC', networks: ['base', 'ethereum'], flows, unavailable: [] },
      { code: 'ETH', networks: ['ethereum'], flows, unavailable: [] },
    ]);
    const locked = await capabilitiesOf(textOf(await open(world, { flow: 'off_ramp' }), 'client_secret'));
    assert.deepEqual(locked['assets'], [
      { code: 'USDC', networks: ['base', 'ethereum'], flows: ['off_ramp'], unavailable: [] },
      { code: 'ETH', networks: ['ethereum'], flows: ['off_ramp'], unavailable: [] },
    ]);
  }),
  httpLaw(TOPIC, 'the token of one browser pays where the token of another left off', async (world) => {
    const session = await open(world);
    const secret = textOf(session, 'client_secret');
    const first = textOf((await bootstrap(world, secret)).json, 'embed_token');
    const second = textOf((await bootstrap(world, secret, { origin: WIDGET })).json, 'embed_token');
    const intent = expectStatus(
      await world.send('POST', '/v1/embed/intents', { token: first, body: INTENT_BODY }),
      201,
    ).json;
    expectStatus(await world.send('GET', `/v1/embed/intents/${textOf(intent, 'id')}`, { token: second }), 200);
  }),
];
