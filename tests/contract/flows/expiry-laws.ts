import assert from 'node:assert/strict';
import {
  attempt,
  ATTEMPT,
  bootstrap,
  buyer,
  type Buyer,
  cancel,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  open,
  retrieve,
  SECRET,
  simulate,
  textOf,
  waitingIntent,
} from '../kit.js';
import { delivered, statusOf } from './scene.js';

const TOPIC = 'HTTP: expiry on read';

/** Shorter than the lifetime of an embed token, so that embed calls can find an overdue session. */
const LIFETIME = 10 * 60_000;
const SHORT = { policy: { sessionLifetime: LIFETIME } };

type Read = (world: HttpWorld, who: Buyer) => Promise<unknown>;

const READS: readonly { readonly name: string; readonly read: Read }[] = [
  { name: 'GET /v1/gate_sessions/{id}', read: (world, who) => retrieve(world, who.sessionId) },
  { name: 'GET /v1/gate_sessions', read: (world) => world.send('GET', '/v1/gate_sessions', { key: SECRET }) },
  {
    name: 'GET /v1/gate_sessions?status=expired',
    read: (world) => world.send('GET', '/v1/gate_sessions?status=expired', { key: SECRET }),
  },
  {
    name: 'POST /v1/gate_sessions/{id}/cancel',
    read: async (world, who) => expectRefusal(await cancel(world, who.sessionId), 409, 'session_not_open'),
  },
  { name: 'POST /v1/embed/bootstrap', read: (world, who) => bootstrap(world, textOf(who.session, 'client_secret')) },
  { name: 'GET /v1/embed/session', read: (world, who) => world.send('GET', '/v1/embed/session', { token: who.token }) },
  {
    name: 'POST /v1/embed/session/cancel',
    read: async (world, who) =>
      expectRefusal(
        await world.send('POST', '/v1/embed/session/cancel', { token: who.token }),
        409,
        'session_not_open',
      ),
  },
  {
    name: 'POST /v1/embed/quotes',
    read: (world, who) => world.send('POST', '/v1/embed/quotes', { token: who.token, body: ATTEMPT }),
  },
  {
    name: 'POST /v1/embed/intents',
    read: async (world, who) => expectRefusal(await attempt(world, who.token), 409, 'session_not_open'),
  },
  {
    name: 'POST /v1/test_helpers/gate_sessions/{id}/simulate',
    read: async (world, who) => expectRefusal(await simulate(world, who.sessionId, 'succeed'), 409, 'session_not_open'),
  },
];

async function expiredEvents(world: HttpWorld): Promise<number> {
  await world.t.gate.runDue();
  return delivered(world).filter((type) => type === 'expired').length;
}

const reads: readonly Law<HttpSubject>[] = READS.map(({ name, read }) =>
  httpLaw(
    TOPIC,
    `${name} expires an overdue session: one event, and it stays expired`,
    async (world) => {
      const who = await buyer(world);
      await world.t.clock.advance(LIFETIME);
      assert.equal(
        (await world.t.retrieveSession(who.sessionId)).status,
        'open',
        'at expires_at itself it is still open',
      );
      await world.t.clock.advance(1);
      assert.equal(await expiredEvents(world), 0);
      await read(world, who);
      assert.equal(await expiredEvents(world), 1);
      await read(world, who);
      assert.equal(await statusOf(world, who.sessionId), 'expired');
      assert.equal(await expiredEvents(world), 1);
    },
    SHORT,
  ),
);

export const expiryLaws: readonly Law<HttpSubject>[] = [
  ...reads,
  httpLaw(
    TOPIC,
    'exactly one gate_session.expired a session, however many readers race',
    async (world) => {
      const who = await buyer(world);
      await world.t.clock.advance(LIFETIME + 1);
      await Promise.all([...READS, ...READS, ...READS].map(({ read }) => read(world, who)));
      assert.equal(await expiredEvents(world), 1);
    },
    SHORT,
  ),
  httpLaw(
    TOPIC,
    'status=open never shows an overdue session, and status=expired always does',
    async (world) => {
      const overdue = textOf(await open(world), 'id');
      await world.t.clock.advance(LIFETIME + 1);
      const fresh = textOf(await open(world), 'id');
      const list = async (status: string) =>
        itemsOf(await world.send('GET', `/v1/gate_sessions?status=${status}`, { key: SECRET })).map(
          (item) => item['id'],
        );
      assert.deepEqual(await list('open'), [fresh]);
      assert.deepEqual(await list('expired'), [overdue]);
      assert.deepEqual(await list('open'), [fresh]);
    },
    SHORT,
  ),
  httpLaw(
    TOPIC,
    'a page expires all of its overdue sessions, and says so of each',
    async (world) => {
      for (let each = 0; each < 12; each += 1) await open(world);
      await world.t.clock.advance(LIFETIME + 1);
      const items = itemsOf(await world.send('GET', '/v1/gate_sessions?limit=12', { key: SECRET }));
      assert.deepEqual(
        items.map((item) => item['status']),
        Array.from({ length: 12 }, () => 'expired'),
      );
      assert.equal(await expiredEvents(world), 12);
    },
    SHORT,
  ),
  httpLaw(
    TOPIC,
    'expiring or cancelling a session ends the intent that waits for its buyer',
    async (world) => {
      const [first, second] = [await buyer(world), await buyer(world)];
      const intents = [await waitingIntent(world, first.token), await waitingIntent(world, second.token)];
      expectStatus(await cancel(world, first.sessionId), 200);
      await world.t.clock.advance(LIFETIME + 1);
      for (const [index, who] of [first, second].entries()) {
        const { json } = expectStatus(
          await world.send('GET', `/v1/embed/intents/${textOf(intents[index] ?? {}, 'id')}`, { token: who.token }),
          200,
        );
        assert.equal(json['status'], 'cancelled');
      }
    },
    SHORT,
  ),
  httpLaw(
    TOPIC,
    'reads of live mode expire sessions of live mode',
    async (world) => {
      const id = textOf(await open(world, {}, { mode: 'live' }), 'id');
      await world.t.clock.advance(LIFETIME + 1);
      assert.equal((await retrieve(world, id, { mode: 'live' })).json['status'], 'expired');
    },
    SHORT,
  ),
];
