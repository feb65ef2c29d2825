import assert from 'node:assert/strict';
import { REFUSED } from '@gateramp/testing';
import {
  type Answer,
  ATTEMPT,
  CARD,
  createQuote,
  CREATE_BODY,
  expectRefusal,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  type Members,
  retrieve,
  SECRET,
  textOf,
  WALLET,
} from '../kit.js';
import { admitRival, tokenFor } from '../strangers/party.js';

const TOPIC = 'HTTP: the clock of a sandbox';

const HOUR = 3_600;
const OWN_CLOCKS = { policy: { testClock: 'partner' } } as const;
const ADVANCE = '/v1/test_helpers/clock/advance';

const advance = async (world: HttpWorld, key: string, seconds: number): Promise<Members> =>
  expectStatus(await world.send('POST', ADVANCE, { key, body: { seconds } }), 200).json;

const nowOf = async (world: HttpWorld, key: string): Promise<number> =>
  Date.parse(textOf(expectStatus(await world.send('GET', '/v1/test_helpers/clock', { key }), 200).json, 'now'));

/** What a partner has under way, of every kind that time ends. */
interface Shop {
  readonly key: string;
  readonly expiringKey: string;
  readonly token: string;
  readonly sessionId: string;
  readonly quoteId: string;
  /** A session whose buyer has an open action. */
  readonly paying: { readonly sessionId: string; readonly token: string; readonly intentId: string };
  readonly idempotencyKey: string;
}

async function openShop(
  world: HttpWorld,
  partnerId: string,
  keys: { secret: string; publishable: string },
): Promise<Shop> {
  const { secret: key, publishable } = keys;
  const idempotencyKey = freshKey();
  const create = { key, idempotencyKey, body: CREATE_BODY };
  const session = expectStatus(await world.send('POST', '/v1/gate_sessions', create), 201).json;
  const token = await tokenFor(world, { mode: 'test', ...keys });
  const body = { ...ATTEMPT, wallet_address: WALLET, payment_details: { ...CARD, card_number: '4000000000003220' } };
  const intent = expectStatus(
    await world.send('POST', '/v1/embed/intents', { token, idempotencyKey: freshKey(), body }),
    201,
  ).json;
  assert.equal(intent['status'], 'requires_action');
  const quote = expectStatus(await createQuote(world, {}, { key }), 201).json;
  const issued = await world.t.gate.admin.issueKey(partnerId, {
    mode: 'test',
    type: 'secret',
    expiresAt: (await nowOf(world, key)) + 1_000 * HOUR,
  });
  return {
    key,
    expiringKey: issued.text,
    idempotencyKey,
    token: await tokenFor(world, { mode: 'test', secret: key, publishable }),
    sessionId: textOf(session, 'id'),
    quoteId: textOf(quote, 'id'),
    paying: { sessionId: textOf(intent, 'session_id'), token, intentId: textOf(intent, 'id') },
  };
}

/** All that a partner can see of a shop, without what each answer has of its own. */
async function seen(world: HttpWorld, { key, expiringKey, token, sessionId, quoteId, paying }: Shop): Promise<unknown> {
  const answers: Record<string, Answer> = {
    session: await retrieve(world, sessionId, { key }),
    paying: await retrieve(world, paying.sessionId, { key }),
    intent: await world.send('GET', `/v1/embed/intents/${paying.intentId}`, { token: paying.token }),
    quote: await world.send('GET', `/v1/quotes/${quoteId}`, { key }),
    token: await world.send('GET', '/v1/embed/session', { token }),
    key: await retrieve(world, sessionId, { key: expiringKey }),
    deliveries: await world.send('GET', '/v1/webhooks/deliveries', { key }),
    events: await world.send('GET', '/v1/events', { key }),
  };
  return Object.fromEntries(
    Object.entries(answers).map(([name, { status, json }]) => [name, [status, { ...json, request_id: null }]]),
  );
}

const KEYS = { secret: SECRET, publishable: 'pk_test_0000000000000000testpublic' };

export const sandboxClockLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'an advance by one partner moves nothing of another: sessions, tokens, intents, quotes, keys, deliveries and their retries',
    async (world) => {
      const { t } = world;
      const rival = (await admitRival(world)).test;
      t.receiver.answerWith(() => REFUSED);
      const own = await openShop(world, t.partner.id, KEYS);
      const other = await openShop(world, '65f0c0ffee65f0c0ffee0002', rival);
      await t.gate.runDue();
      const [ownBefore, before] = [await seen(world, own), await seen(world, other)];
      const start = await nowOf(world, rival.secret);

      const { fired } = await advance(world, own.key, 25 * HOUR);

      await t.gate.runDue();
      assert.deepEqual(await seen(world, other), before);
      assert.equal(await nowOf(world, rival.secret), start);
      assert.equal(await nowOf(world, own.key), start + 25 * 1_000 * HOUR);
      const later = await seen(world, own);
      assert.notDeepEqual(later, ownBefore);
      const statusOf = async (id: string) =>
        expectStatus(await retrieve(world, id, { key: own.key }), 200).json['status'];
      assert.equal(await statusOf(own.sessionId), 'expired');
      expectRefusal(await world.send('GET', '/v1/embed/session', { token: own.token }), 401, 'expired_embed_token');
      expectRefusal(await world.send('GET', `/v1/quotes/${own.quoteId}`, { key: own.key }), 404, 'quote_not_found');
      expectRefusal(await retrieve(world, own.sessionId, { key: own.expiringKey }), 401, 'expired_api_key');
      assert.ok(Array.isArray(fired) && fired.length > 0, 'retries and the lapse of the action were due');

      // The other partner makes the same journey later, on its own.
      await advance(world, rival.secret, 25 * HOUR);
      assert.equal(await nowOf(world, rival.secret), start + 25 * 1_000 * HOUR);
      expectRefusal(await world.send('GET', '/v1/embed/session', { token: other.token }), 401, 'expired_embed_token');
    },
    OWN_CLOCKS,
  ),

  httpLaw(
    TOPIC,
    'between advances the work of a sandbox that is ahead comes due at the pace of all others',
    async (world) => {
      const { t } = world;
      await advance(world, SECRET, 48 * HOUR);
      const { sessionId, key } = await openShop(world, t.partner.id, KEYS);
      await t.gate.runDue();
      const sent = t.deliveries().length;
      assert.ok(sent > 0, 'its first attempts are due at once');
      const expired = async () =>
        expectStatus(await retrieve(world, sessionId, { key }), 200).json['status'] === 'expired';
      await t.clock.advance('23h');
      assert.equal(await expired(), false);
      await t.clock.advance('2h');
      assert.equal(await expired(), true);
    },
    OWN_CLOCKS,
  ),

  httpLaw(
    TOPIC,
    'an advance in one sandbox neither waits for nor refuses one in another',
    async (world) => {
      const { t } = world;
      const rival = (await admitRival(world)).test;
      await openShop(world, t.partner.id, KEYS);
      let release = (): void => undefined;
      const hanging = new Promise<void>((resolve) => (release = resolve));
      t.receiver.answerWith(() => hanging.then(() => REFUSED));
      const slow = advance(world, SECRET, HOUR);
      await advance(world, rival.secret, HOUR);
      expectRefusal(
        await world.send('POST', ADVANCE, { key: SECRET, body: { seconds: 1 } }),
        409,
        'operation_in_progress',
      );
      release();
      await slow;
    },
    OWN_CLOCKS,
  ),

  httpLaw(
    TOPIC,
    'an idempotency key is kept for its time in the sandbox of its partner',
    async (world) => {
      const rival = (await admitRival(world)).test;
      const keys = [SECRET, rival.secret];
      const idempotencyKey = freshKey();
      const create = async (key: string) =>
        textOf(
          expectStatus(await world.send('POST', '/v1/gate_sessions', { key, idempotencyKey, body: CREATE_BODY }), 201)
            .json,
          'id',
        );
      const first = [await create(keys[0] ?? ''), await create(keys[1] ?? '')];
      await advance(world, SECRET, 25 * HOUR);
      assert.notEqual(await create(keys[0] ?? ''), first[0], 'its retention has passed');
      assert.equal(await create(keys[1] ?? ''), first[1]);
    },
    OWN_CLOCKS,
  ),

  httpLaw(
    TOPIC,
    'where the policy keeps one clock per mode, an advance moves every sandbox',
    async (world) => {
      const rival = (await admitRival(world)).test;
      const session = { key: rival.secret, idempotencyKey: freshKey(), body: CREATE_BODY };
      const { id } = expectStatus(await world.send('POST', '/v1/gate_sessions', session), 201).json;
      const start = await nowOf(world, rival.secret);
      await advance(world, SECRET, 25 * HOUR);
      assert.equal(await nowOf(world, rival.secret), start + 25 * 1_000 * HOUR);
      const read = expectStatus(await retrieve(world, String(id), { key: rival.secret }), 200).json;
      assert.equal(read['status'], 'expired');
      assert.equal(
        itemsOf(expectStatus(await world.send('GET', '/v1/gate_sessions?status=expired', { key: rival.secret }), 200))
          .length,
        1,
      );
    },
    { policy: { testClock: 'mode' } },
  ),
];
