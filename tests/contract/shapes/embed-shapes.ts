import assert from 'node:assert/strict';
import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import { VERSION } from '@gateramp/core/http';
import {
  attempt,
  ATTEMPT,
  bootstrap,
  buyer,
  card,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  INTENT_BODY,
  type Law,
  type Members,
  membersOf,
  open,
  SECRET,
  simulate,
  textOf,
  WALLET,
} from '../kit.js';
import { arrayOf } from './array-of.js';
import { checkQuote } from './check-quote.js';
import { OBJECT_ID, REFID, TIME } from './patterns.js';

const TOPIC = 'HTTP: the shape of embed answers, transactions and the clock';

async function transactionOf(world: HttpWorld, intent: Members): Promise<Members> {
  return expectStatus(await world.send('GET', `/v1/transactions/${textOf(intent, 'tx_refid')}`, { key: SECRET }), 200)
    .json;
}

const FLOW_BODIES: readonly Members[] = [
  ATTEMPT,
  { flow: 'off_ramp', amount: '100.00', currency: 'EUR', source_token: 'USDC', source_network: 'base' },
  {
    flow: 'swap',
    amount: '100.00',
    currency: 'EUR',
    source_token: 'ETH',
    source_network: 'ethereum',
    target_token: 'USDC',
    target_network: 'base',
  },
];

export const embedShapes: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'the bootstrap answer is as documented, with the session it opens', async (world) => {
    const session = await open(world, { flow: 'on_ramp', target_token: 'USDC' });
    const { json } = expectStatus(await bootstrap(world, textOf(session, 'client_secret')), 200);
    assert.deepEqual(
      [json['object'], json['available'], json['unavailable_reason'], json['mode'], json['flow']],
      ['embed_bootstrap', true, null, 'test', 'on_ramp'],
    );
    assert.deepEqual(json['partner'], { id: world.t.partner.id, display_name: 'Acme' });
    for (const [name, value] of Object.entries(membersOf(json['session'])))
      assert.deepEqual(value, session[name], name);
    assert.equal(json['expires_in'], 3600);
    assert.equal(Date.parse(textOf(json, 'expires_at')), world.t.clock.now('test') + 3_600_000);
  }),
  httpLaw(TOPIC, 'the bootstrap answer has null for session and flow without a client secret', async (world) => {
    const { json } = expectStatus(await bootstrap(world, null), 200);
    assert.deepEqual([json['session'], json['flow'], json['branding'], json['available']], [null, null, null, true]);
  }),
  httpLaw(TOPIC, 'GET /v1/embed/session answers the bound session and the intent to resume', async (world) => {
    const { token, session } = await buyer(world);
    const before = expectStatus(await world.send('GET', '/v1/embed/session', { token }), 200).json;
    const { json: opened } = await bootstrap(world, textOf(session, 'client_secret'));
    assert.deepEqual([before['partner'], before['capabilities']], [opened['partner'], opened['capabilities']]);
    assert.deepEqual([before['object'], before['id'], before['intent_id']], ['embed_session', session['id'], null]);
    const intent = expectStatus(await attempt(world, token, card(SANDBOX_CARDS.needsAuthentication)), 201).json;
    assert.equal((await world.send('GET', '/v1/embed/session', { token })).json['intent_id'], intent['id']);
  }),
  httpLaw(
    TOPIC,
    'the session of a settled purchase names the intent that paid, whose receipt can be read',
    async (world) => {
      const { token, session } = await buyer(world);
      const intent = expectStatus(await attempt(world, token, card(SANDBOX_CARDS.succeeds)), 201).json;
      const early = expectStatus(await world.send('GET', '/v1/embed/session', { token }), 200).json;
      assert.equal(early['settled_intent_id'], null);
      await world.t.settle(textOf(session, 'id'));
      const settled = expectStatus(await world.send('GET', '/v1/embed/session', { token }), 200).json;
      assert.deepEqual(
        [settled['status'], settled['intent_id'], settled['settled_intent_id']],
        ['completed', null, intent['id']],
      );
      const read = expectStatus(
        await world.send('GET', `/v1/embed/intents/${textOf(intent, 'id')}`, { token }),
        200,
      ).json;
      assert.equal(membersOf(read['transaction'])['refid'], settled['tx_refid'] ?? intent['tx_refid']);
    },
  ),
  ...FLOW_BODIES.map((body) =>
    httpLaw(TOPIC, `quotes of ${String(body['flow'])} are as documented, and their sums hold`, async (world) => {
      const { token } = await buyer(world);
      const { payment_method: _, ...rest } = body;
      const { json } = expectStatus(
        await world.send('POST', '/v1/embed/quotes', { token, body: { ...rest, country_code: 'de' } }),
        200,
      );
      assert.deepEqual(
        [json['mode'], json['flow'], json['amount'], json['currency'], json['country_code']],
        ['test', body['flow'], '100.00', 'EUR', 'DE'],
      );
      const quotes = arrayOf(json['quotes']);
      assert.ok(quotes.length > 0);
      for (const quote of quotes) checkQuote(quote);
    }),
  ),
  httpLaw(
    TOPIC,
    'a payment method that cannot serve stays listed with available false and the reason',
    async (world) => {
      const { token } = await buyer(world);
      const { json } = expectStatus(
        await world.send('POST', '/v1/embed/quotes', {
          token,
          body: { ...ATTEMPT, payment_method: null, country_code: 'FR' },
        }),
        200,
      );
      const quotes = arrayOf(json['quotes']);
      assert.deepEqual(quotes.map((quote) => quote['payment_method']).sort(), ['bank_transfer', 'card']);
      for (const quote of quotes)
        assert.deepEqual([quote['available'], quote['unavailable_reason']], [false, 'region_unsupported']);
    },
  ),
  httpLaw(TOPIC, 'an intent is as documented, and echoes nothing of the card or account', async (world) => {
    const { token, sessionId } = await buyer(world, { amount: '0100.0', currency: 'eur' });
    const answer = expectStatus(await attempt(world, token, { currency: 'eur', country_code: 'us' }), 201);
    const intent = answer.json;
    assert.match(textOf(intent, 'id'), OBJECT_ID);
    assert.match(textOf(intent, 'tx_refid'), REFID);
    for (const time of ['created_at', 'updated_at']) assert.match(textOf(intent, time), TIME);
    assert.deepEqual(
      [intent['object'], intent['session_id'], intent['amount'], intent['currency'], intent['attempt']],
      ['gate_intent', sessionId, '0100.0', 'EUR', 1],
    );
    for (const secret of [INTENT_BODY.payment_details.card_number, INTENT_BODY.payment_details.expiry])
      assert.equal(answer.text.includes(secret), false);
    const {
      stages,
      transaction: receipt,
      ...read
    } = (await world.send('GET', `/v1/embed/intents/${textOf(intent, 'id')}`, { token })).json;
    assert.deepEqual({ ...read, stages: null, transaction: null }, intent);
    const refid = textOf(intent, 'tx_refid');
    const transaction = await world.send('GET', `/v1/transactions/${refid}`, { key: SECRET });
    assert.deepEqual(stages, transaction.json['stages']);
    for (const [name, value] of Object.entries(membersOf(receipt)))
      assert.deepEqual(value, transaction.json[name], name);
  }),
  httpLaw(TOPIC, 'a failed intent says code, stage, message and whether to try again', async (world) => {
    const { token } = await buyer(world);
    const { json } = expectStatus(await attempt(world, token, card(SANDBOX_CARDS.declines)), 201);
    assert.deepEqual([json['status'], json['next_action']], ['failed', null]);
  }),
  httpLaw(TOPIC, 'a transaction is as documented from its first moment to its last', async (world) => {
    const { token, sessionId } = await buyer(world, { user_reference: 'u', metadata: { a: 1 } });
    const intent = expectStatus(
      await attempt(world, token, { ...card(SANDBOX_CARDS.needsAuthentication), country_code: 'DE' }),
      201,
    ).json;
    const pending = await transactionOf(world, intent);
    expectStatus(await simulate(world, sessionId, 'succeed'), 200);
    const completed = await transactionOf(world, intent);
    for (const transaction of [pending, completed]) {
      assert.deepEqual(
        arrayOf(transaction['stages']).map((stage) => stage['type']),
        ['kyc', 'screening', 'payment', 'conversion', 'delivery'],
      );
      assert.deepEqual(
        [transaction['id'], transaction['user_reference'], transaction['metadata']],
        [transaction['refid'], 'u', { a: 1 }],
      );
      assert.deepEqual(
        [transaction['country_code'], transaction['wallet_address'], transaction['failure']],
        ['DE', WALLET, null],
      );
    }
    assert.deepEqual([pending['status'], pending['completed_at']], ['pending', null]);
    assert.deepEqual([completed['status'], completed['settled_after_close']], ['completed', false]);
    assert.match(textOf(completed, 'completed_at'), TIME);
    assert.match(textOf(completed, 'tx_hash'), /^0x/);
  }),
  httpLaw(TOPIC, 'the test clock says its time and what has fired', async (world) => {
    const read = expectStatus(await world.send('GET', '/v1/test_helpers/clock', { key: SECRET }), 200).json;
    assert.deepEqual(read, { object: 'test_clock', now: '2030-01-01T00:00:00.000Z', fired: [] });
    await open(world);
    const moved = expectStatus(
      await world.send('POST', '/v1/test_helpers/clock/advance', { key: SECRET, body: { seconds: 60 } }),
      200,
    ).json;
    assert.equal(moved['now'], '2030-01-01T00:01:00.000Z');
    const fired = arrayOf(moved['fired']);
    assert.ok(fired.length > 0);
  }),
  httpLaw(TOPIC, 'GET /health says what it is and of which host', async (world) => {
    for (const mode of ['test', 'live'] as const) {
      const health = { object: 'health', status: 'ok', mode, version: VERSION };
      assert.deepEqual((await world.send('GET', '/health', { mode })).json, health);
    }
  }),
];
