import assert from 'node:assert/strict';
import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import { TEST_KEYS } from '@gateramp/testing';
import {
  anonymousToken,
  type Answer,
  attempt,
  ATTEMPT,
  buyer,
  cancel,
  card,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  type Members,
  membersOf,
  open,
  SELL,
  type Sent,
  simulate,
  textOf,
  WALLET,
} from '../kit.js';
import { TIME } from '../shapes/patterns.js';

const TOPIC = 'HTTP: the timeline of a session';

function read(world: HttpWorld, id: string, sent: Sent = {}): Promise<Answer> {
  return world.send('GET', `/v1/gate_sessions/${id}/timeline`, { key: TEST_KEYS.secret[sent.mode ?? 'test'], ...sent });
}

async function entries(world: HttpWorld, id: string): Promise<readonly Members[]> {
  const answer = expectStatus(await read(world, id), 200);
  assert.deepEqual([answer.json['has_more'], answer.json['url']], [false, `/v1/gate_sessions/${id}/timeline`]);
  return itemsOf(answer);
}

async function refusals(world: HttpWorld, id: string): Promise<readonly Members[]> {
  return (await entries(world, id)).filter(({ kind }) => kind === 'refusal');
}

function summaries(found: readonly Members[]): readonly unknown[] {
  return found.map(({ summary }) => summary);
}

export const timelineLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'GET /v1/gate_sessions/{id}/timeline shows a purchase from its creation to its last delivery',
    async (world) => {
      const { token, sessionId } = await buyer(world);
      await world.t.clock.advance('1s');
      expectStatus(await attempt(world, token, card(SANDBOX_CARDS.declines)), 201);
      await world.t.clock.advance('1s');
      expectStatus(await simulate(world, sessionId, 'succeed'), 200);
      await world.t.clock.advance('1s');
      const found = await entries(world, sessionId);
      for (const entry of found) {
        assert.equal(entry['object'], 'timeline_entry');
        assert.match(textOf(entry, 'at'), TIME);
      }
      const times = found.map((entry) => textOf(entry, 'at'));
      assert.deepEqual(times, times.toSorted());
      assert.deepEqual(summaries(found.filter(({ kind }) => kind === 'transition')), [
        'The session is open',
        'The session is completed',
      ]);
      assert.deepEqual(summaries(found.filter(({ kind }) => kind === 'intent')), [
        'Attempt 1 started',
        'Attempt 1 is failed',
        'Attempt 2 started',
        'Attempt 2 is succeeded',
      ]);
      const events = found.filter(({ kind }) => kind === 'event').map(({ data }) => membersOf(data));
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        events.map((_, nth) => nth + 1),
      );
      const deliveries = found.filter(({ kind }) => kind === 'delivery').map(({ data }) => membersOf(data));
      assert.deepEqual(
        deliveries.map(({ event_type: type, attempt: nth, response_status: status }) => [type, nth, status]).toSorted(),
        events.map(({ type }) => [type, 1, 200]).toSorted(),
      );
      assert.deepEqual(summaries(found.slice(0, 2)), ['The session is open', 'gate_session.created']);
    },
  ),
  httpLaw(TOPIC, 'a cancelled and an expired session end in their transition', async (world) => {
    const cancelled = textOf(await open(world), 'id');
    const expired = textOf(await open(world), 'id');
    expectStatus(await cancel(world, cancelled), 200);
    await world.t.clock.advance('25h');
    for (const [id, status] of [
      [cancelled, 'cancelled'],
      [expired, 'expired'],
    ] as const) {
      const transitions = (await entries(world, id)).filter(({ kind }) => kind === 'transition');
      assert.deepEqual(transitions.at(-1)?.['data'], { from: 'open', to: status });
    }
  }),
  httpLaw(
    TOPIC,
    'a refused attempt at the terms is listed with the id of its request, and with no more than the terms',
    async (world) => {
      const { token, sessionId } = await buyer(world, { flow: 'on_ramp' });
      const wrong = await attempt(world, token, { amount: '9.00', country_code: 'DE' });
      expectRefusal(wrong, 400, 'amount_mismatch');
      const [refused, more] = await refusals(world, sessionId);
      assert.equal(more, undefined);
      assert.equal(refused?.['request_id'], wrong.headers['x-request-id']);
      assert.deepEqual(refused?.['data'], {
        code: 'amount_mismatch',
        flow: 'on_ramp',
        amount: '9.00',
        currency: 'EUR',
        target_token: 'USDC',
        target_network: 'base',
        payment_method: 'card',
      });
      expectRefusal(await attempt(world, token, { wallet_address: 'not-a-wallet' }), 422, 'wallet_address_invalid');
      expectRefusal(await attempt(world, token, { ...SELL }), 400, 'terms_mismatch');
      const quote = { ...ATTEMPT, amount: '7.00', payment_method: null };
      expectRefusal(await world.send('POST', '/v1/embed/quotes', { token, body: quote }), 400, 'amount_mismatch');
      const { text } = await read(world, sessionId);
      for (const secret of [SANDBOX_CARDS.succeeds, '12/49', WALLET, 'not-a-wallet', SELL.payout_details.iban, 'Ada'])
        assert.ok(!text.includes(secret), `it shows ${secret}`);
      const codes = (await refusals(world, sessionId)).map(({ data }) => membersOf(data)['code']);
      assert.deepEqual(codes, ['amount_mismatch', 'wallet_address_invalid', 'terms_mismatch', 'amount_mismatch']);
    },
  ),
  httpLaw(
    TOPIC,
    'twenty refused attempts are kept of a session, the first ones, and every one is answered alike',
    async (world) => {
      const { token, sessionId } = await buyer(world);
      const other = await buyer(world);
      for (let nth = 1; nth <= 23; nth += 1)
        expectRefusal(await attempt(world, token, { amount: `${nth}.00` }), 400, 'amount_mismatch');
      expectRefusal(await attempt(world, other.token, { amount: '1.00' }), 400, 'amount_mismatch');
      const kept = (await refusals(world, sessionId)).map(({ data }) => membersOf(data)['amount']);
      assert.deepEqual(
        kept,
        Array.from({ length: 20 }, (_, nth) => `${nth + 1}.00`),
      );
      assert.equal((await refusals(world, other.sessionId)).length, 1);
      expectStatus(await attempt(world, token), 201);
    },
  ),
  httpLaw(TOPIC, 'what is refused for another reason than its terms is not listed', async (world) => {
    const { token, sessionId } = await buyer(world);
    expectStatus(await attempt(world, token, card(SANDBOX_CARDS.needsAuthentication)), 201);
    expectRefusal(await attempt(world, token), 409, 'intent_in_progress');
    expectRefusal(await attempt(world, token, { amount: 'much' }), 400, 'validation_failed');
    expectRefusal(await attempt(world, await anonymousToken(world)), 409, 'session_required');
    assert.deepEqual(await refusals(world, sessionId), []);
  }),
  httpLaw(
    TOPIC,
    'GET /v1/gate_sessions/{id}/timeline answers 400 unknown_parameter to any parameter',
    async (world) => {
      const id = textOf(await open(world), 'id');
      const path = `/v1/gate_sessions/${id}/timeline?limit=1`;
      expectRefusal(await world.send('GET', path, { key: TEST_KEYS.secret.test }), 400, 'unknown_parameter');
    },
  ),
];
