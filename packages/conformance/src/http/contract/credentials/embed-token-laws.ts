import assert from 'node:assert/strict';
import { nodeCrypto } from '@gateramp/core/runtime';
import { TEST_KEYS } from '@gateramp/testing';
import type { Law } from '../../../law.js';
import type { HttpSubject } from '../../subject.js';
import { expectRefusal, expectStatus, textOf } from '../answer.js';
import { admitRival, bootstrap, buyer, open, RIVAL_PUBLISHABLE, SHOP, tokenOf } from '../calls.js';
import { BY_TOKEN, nameOf, routeOf, sendTo, type Route } from '../routes.js';
import { claimsOf, headerOf, unsigned, withClaims, withHeader } from '../jwt.js';
import { httpLaw, type HttpWorld, type WorldOptions } from '../world.js';

const TOPIC = 'HTTP: embed tokens';

interface BadToken {
  readonly when: string;
  /** Given a good token, one that must not open anything; null sends none. */
  readonly make: (good: string, world: HttpWorld) => Promise<string | null>;
}

const BAD_TOKENS: readonly BadToken[] = [
  { when: 'without a token', make: async () => null },
  { when: 'to garbage', make: async () => 'garbage' },
  { when: 'to three parts of garbage', make: async () => 'a.b.c' },
  { when: 'to a secret key in place of a token', make: async () => TEST_KEYS.secret.test },
  { when: 'to a token whose algorithm is "none"', make: async (good) => unsigned(good) },
  {
    when: 'to a token of another algorithm',
    make: async (good) => withHeader(good, { ...headerOf(good), alg: 'HS512' }),
  },
  {
    when: 'to a token whose amount was changed',
    make: async (good) => withClaims(good, { ...claimsOf(good), amount: '1.00' }),
  },
  {
    when: 'to a token whose life was prolonged',
    make: async (good) => withClaims(good, { ...claimsOf(good), exp: 4102444800 }),
  },
  { when: 'to a token without its signature', make: async (good) => good.slice(0, good.lastIndexOf('.') + 1) },
  { when: 'to a token signed by another installation', make: async (_, world) => anotherInstallation(world) },
];

async function anotherInstallation({ t }: HttpWorld): Promise<string> {
  const crypto = nodeCrypto({ masterKey: null, oldMasterKeys: [] });
  const settings = new Map<string, string>();
  await crypto.open({
    readSetting: async (name) => settings.get(name) ?? null,
    swapSetting: async (name, _, value) => {
      settings.set(name, value);
      return value;
    },
  });
  const now = t.clock.now('test');
  const claims = {
    jti: 'j',
    partner: t.partner.id,
    mode: 'test',
    key: crypto.hash(TEST_KEYS.publishable.test),
    origin: SHOP,
    session: null,
  };
  return crypto.signToken(claims, now, now + 60_000);
}

const refusals: readonly Law<HttpSubject>[] = BY_TOKEN.flatMap((route) => [
  ...BAD_TOKENS.map((bad) =>
    httpLaw(TOPIC, `${nameOf(route)} answers 401 invalid_embed_token ${bad.when}`, async (world) => {
      const { path, sent } = await route.sample(world, 'test');
      const token = await bad.make(sent.token ?? '', world);
      const { token: _, ...rest } = sent;
      expectRefusal(
        await world.send(route.method, path, token === null ? rest : { ...rest, token }),
        401,
        'invalid_embed_token',
      );
      expectStatus(await sendTo(world, route, { path, sent }), route.success);
    }),
  ),
  httpLaw(
    TOPIC,
    `${nameOf(route)} answers 401 invalid_embed_token to a token of the other mode's host`,
    async (world) => {
      const { path, sent } = await route.sample(world, 'live');
      expectRefusal(await world.send(route.method, path, { ...sent, mode: 'test' }), 401, 'invalid_embed_token');
    },
  ),
  httpLaw(
    TOPIC,
    `${nameOf(route)} answers 401 expired_embed_token once the token's hour is over, and not before`,
    async (world) => {
      const { path, sent } = await route.sample(world, 'test');
      await world.t.clock.advance('1h');
      assert.notEqual((await sendTo(world, route, { path, sent })).status, 401);
      await world.t.clock.advance(1);
      expectRefusal(await sendTo(world, route, { path, sent }), 401, 'expired_embed_token');
    },
  ),
  httpLaw(
    TOPIC,
    `${nameOf(route)} answers 401 invalid_embed_token once the publishable key of the token is revoked`,
    async (world) => {
      const { path, sent } = await route.sample(world, 'test');
      await world.t.gate.admin.revokeKey(TEST_KEYS.publishable.test);
      expectRefusal(await sendTo(world, route, { path, sent }), 401, 'invalid_embed_token');
    },
  ),
  httpLaw(
    TOPIC,
    `${nameOf(route)} answers 403 live_keys_not_allowed once the partner is no longer cleared for live`,
    async (world) => {
      const { path, sent } = await route.sample(world, 'live');
      await world.t.gate.admin.savePartner({ ...world.t.partner, liveEnabled: false });
      expectRefusal(await world.send(route.method, path, sent), 403, 'live_keys_not_allowed');
    },
  ),
]);

/** A world whose tokens the law can sign itself, as if terms had changed under a token that is authentic. */
function forging(title: string, changes: Readonly<Record<string, string | null>>): readonly Law<HttpSubject>[] {
  return BY_TOKEN.map((route) => {
    const crypto = () => nodeCrypto({ masterKey: null, oldMasterKeys: [] });
    return {
      topic: TOPIC,
      title: `${nameOf(route)} answers 401 invalid_embed_token ${title}`,
      run: async (subject) => {
        const own = crypto();
        const options: WorldOptions = { ports: { crypto: own } };
        await httpLaw(TOPIC, '', (world) => sendForged(world, route, own, changes), options).run(subject);
      },
    };
  });
}

async function sendForged(
  world: HttpWorld,
  route: Route,
  crypto: ReturnType<typeof nodeCrypto>,
  changes: Readonly<Record<string, string | null>>,
): Promise<void> {
  await admitRival(world);
  const { path, sent } = await route.sample(world, 'test');
  const { aud: _aud, iat: _iat, exp: _exp, ...claims } = claimsOf(sent.token ?? '');
  const now = world.t.clock.now('test');
  // Every claim of ours but those three is text or null.
  const token = await crypto.signToken({ ...(claims as Record<string, string | null>), ...changes }, now, now + 60_000);
  expectRefusal(await world.send(route.method, path, { ...sent, token }), 401, 'invalid_embed_token');
}

const SECRET_HASH = nodeCrypto({ masterKey: null }).hash(TEST_KEYS.secret.test);
const RIVAL_HASH = nodeCrypto({ masterKey: null }).hash(RIVAL_PUBLISHABLE);

export const embedTokenLaws: readonly Law<HttpSubject>[] = [
  ...refusals,
  ...forging('when it names no key', { key: null }),
  ...forging('when its key does not exist', { key: '0'.repeat(64) }),
  ...forging('when its key is a secret one', { key: SECRET_HASH }),
  ...forging("when its key is another partner's", { key: RIVAL_HASH }),
  ...forging('when it has no id of its own', { jti: null }),
  ...forging('when its amount is not that of the stored session', { amount: '100.0' }),
  ...forging('when its flow is not that of the stored session', { flow: 'off_ramp' }),
  ...forging('when its wallet is not that of the stored session', { wallet_address: '0x0' }),
  httpLaw(
    TOPIC,
    'a token dies when its publishable key expires, and another key of the partner opens the same session again',
    async (world) => {
      const short = 'pk_test_00000000000000000shortlived';
      const at = world.t.clock.now('test') + 60_000;
      await world.t.gate.admin.addKey(world.t.partner.id, short, { expiresAt: at });
      const session = await open(world);
      const token = textOf(
        expectStatus(await bootstrap(world, textOf(session, 'client_secret'), { key: short }), 200).json,
        'embed_token',
      );
      expectStatus(await world.send('GET', '/v1/embed/session', { token }), 200);
      await world.t.clock.advance(60_001);
      expectRefusal(await world.send('GET', '/v1/embed/session', { token }), 401, 'invalid_embed_token');
      const again = await tokenOf(world, session);
      assert.equal(
        expectStatus(await world.send('GET', '/v1/embed/session', { token: again }), 200).json['id'],
        session['id'],
      );
    },
  ),
  httpLaw(TOPIC, 'answers 404 intent_not_found to the token of another session of the same partner', async (world) => {
    const first = await routeOf('GET /v1/embed/intents/{id}').sample(world, 'test');
    const { token } = await buyer(world);
    expectRefusal(await world.send('GET', first.path, { token }), 404, 'intent_not_found');
    expectRefusal(await world.send('POST', `${first.path}/cancel`, { token }), 404, 'intent_not_found');
    const body = { action: 'crypto_deposit' };
    expectRefusal(await world.send('POST', `${first.path}/confirm`, { token, body }), 404, 'intent_not_found');
  }),
  httpLaw(TOPIC, 'issues a new token at every bootstrap, each good for the same session', async (world) => {
    const session = await open(world);
    const tokens = [await tokenOf(world, session), await tokenOf(world, session)];
    assert.notEqual(tokens[0], tokens[1]);
    for (const token of tokens) {
      const answer = expectStatus(await world.send('GET', '/v1/embed/session', { token }), 200);
      assert.equal(answer.json['id'], textOf(session, 'id'));
    }
  }),
];
