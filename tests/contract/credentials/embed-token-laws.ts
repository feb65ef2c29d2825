import assert from 'node:assert/strict';
import { nodeCrypto } from '@gateramp/core/runtime';
import { TEST_KEYS } from '@gateramp/testing';
import {
  admitRival,
  bootstrap,
  buyer,
  BY_TOKEN,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  nameOf,
  open,
  RIVAL_PUBLISHABLE,
  type Route,
  routeOf,
  sendTo,
  textOf,
  tokenOf,
  type WorldOptions,
} from '../kit.js';
import { claimsOf } from '../jwt.js';

const TOPIC = 'HTTP: embed tokens';

const lives: readonly Law<HttpSubject>[] = BY_TOKEN.flatMap((route) => [
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
]);

/** A world whose tokens the law can sign itself, for authentic tokens with other terms than their session. */
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
  // All of the claims except those three are text or null.
  const token = await crypto.signToken({ ...(claims as Record<string, string | null>), ...changes }, now, now + 60_000);
  expectRefusal(await world.send(route.method, path, { ...sent, token }), 401, 'invalid_embed_token');
}

const SECRET_HASH = nodeCrypto({ masterKey: null }).hash(TEST_KEYS.secret.test);
const RIVAL_HASH = nodeCrypto({ masterKey: null }).hash(RIVAL_PUBLISHABLE);

export const embedTokenLaws: readonly Law<HttpSubject>[] = [
  ...lives,
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
