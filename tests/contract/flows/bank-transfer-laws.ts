import assert from 'node:assert/strict';
import { SANDBOX_ACCOUNT } from '@gateramp/adapters-provider-sandbox';
import {
  buyer,
  cancel,
  confirm,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  simulate,
  textOf,
} from '../kit.js';
import {
  actionOf,
  begin,
  checkSequence,
  delivered,
  failureCode,
  readIntent,
  readTransaction,
  statusOf,
} from './scene.js';

const TOPIC = 'HTTP: paying by bank transfer';

const TRANSFER: Members = { payment_method: 'bank_transfer', payment_details: null };

async function awaited(world: HttpWorld) {
  const who = await buyer(world);
  return { ...who, intent: await begin(world, who.token, TRANSFER) };
}

async function events(world: HttpWorld): Promise<readonly string[]> {
  await world.t.gate.runDue();
  return delivered(world);
}

const simulated: readonly Law<HttpSubject>[] = [
  { scenario: 'succeed', ends: ['succeeded', null, 'completed'], then: ['processing', 'completed'] },
  { scenario: 'processing', ends: ['processing', null, 'open'], then: ['processing'] },
  { scenario: 'decline', ends: ['failed', 'payment_declined', 'open'], then: ['failed'] },
  { scenario: 'settlement_error', ends: ['failed', 'settlement_error', 'open'], then: ['processing', 'failed'] },
  { scenario: 'abandon', ends: ['requires_action', null, 'open'], then: [] },
].map(({ scenario, ends, then }) =>
  httpLaw(TOPIC, `simulate ${scenario} leaves an awaited transfer ${String(ends[0])}`, async (world) => {
    const { intent, sessionId } = await awaited(world);
    const played = expectStatus(await simulate(world, sessionId, scenario), 200).json;
    assert.equal(played['id'], intent['id']);
    assert.deepEqual([played['status'], failureCode(played), await statusOf(world, sessionId)], ends);
    assert.deepEqual(await events(world), ['created', ...then]);
  }),
);

export const bankTransferLaws: readonly Law<HttpSubject>[] = [
  ...simulated,
  httpLaw(
    TOPIC,
    'the intent requires a transfer to an account under a reference, and completes the session when the money arrives',
    async (world) => {
      const { token, sessionId, intent } = await awaited(world);
      const action = actionOf(intent);
      assert.deepEqual(
        [intent['status'], action['type'], action['amount'], action['currency'], action['iban']],
        ['requires_action', 'bank_transfer', '100.00', 'EUR', SANDBOX_ACCOUNT.iban],
      );
      await world.t.clock.advance('29s');
      assert.deepEqual(actionOf(await readIntent(world, token, intent)), action);
      await world.t.clock.advance('1s');
      const settled = await readIntent(world, token, intent);
      assert.deepEqual([settled['status'], settled['next_action']], ['succeeded', null]);
      assert.equal((await readTransaction(world, intent))['status'], 'completed');
      assert.equal(await statusOf(world, sessionId), 'completed');
      assert.deepEqual(delivered(world), ['created', 'processing', 'completed']);
      checkSequence(world);
    },
  ),
  httpLaw(TOPIC, 'each attempt has a reference of its own', async (world) => {
    const { token, intent } = await awaited(world);
    const { id } = intent;
    expectStatus(await world.send('POST', `/v1/embed/intents/${String(id)}/cancel`, { token }), 200);
    const next = await begin(world, token, TRANSFER);
    assert.notEqual(actionOf(next)['reference'], actionOf(intent)['reference']);
  }),
  httpLaw(
    TOPIC,
    'a transfer cannot be confirmed: the body is refused, and so is the answer to anything else',
    async (world) => {
      const { token, intent } = await awaited(world);
      const id = textOf(intent, 'id');
      expectRefusal(await confirm(world, token, id, { action: 'bank_transfer' }), 400, 'validation_failed');
      expectRefusal(await confirm(world, token, id, { action: 'crypto_deposit' }), 409, 'intent_not_confirmable');
    },
  ),
  httpLaw(
    TOPIC,
    'a transfer is waited for until its own expires_at, which is never after the end of the session',
    async (world) => {
      const { session, intent } = await awaited(world);
      // The sandbox would wait for a day, but the session ends earlier.
      assert.equal(actionOf(intent)['expires_at'], session['expires_at']);
      assert.equal(intent['expires_at'], session['expires_at']);
    },
  ),
  httpLaw(
    TOPIC,
    'money that arrives after its session was cancelled settles the transaction alone, and an operator is alerted',
    async (world) => {
      const late = await awaited(world);
      const played = expectStatus(await simulate(world, late.sessionId, 'late_settlement'), 200).json;
      const transaction = await readTransaction(world, played);
      assert.deepEqual(
        [transaction['status'], transaction['settled_after_close'], await statusOf(world, late.sessionId)],
        ['completed', true, 'cancelled'],
      );
      assert.ok(world.t.telemetry.alarms.some((alarm) => alarm.name === 'settled_after_close'));
    },
  ),
  httpLaw(TOPIC, 'a session that is cancelled while a transfer is awaited takes no money', async (world) => {
    const { intent, sessionId, token } = await awaited(world);
    expectStatus(await cancel(world, sessionId), 200);
    await world.t.clock.advance('1m');
    assert.equal((await readIntent(world, token, intent))['status'], 'cancelled');
    assert.equal((await readTransaction(world, intent))['status'], 'failed');
    assert.deepEqual(await events(world), ['created', 'cancelled']);
  }),
  httpLaw(TOPIC, 'identity comes first where it is required; the transfer is then given 30 s', async (world) => {
    const { token } = await buyer(world, { amount: '14.50' });
    const intent = await begin(world, token, { ...TRANSFER, amount: '14.50' });
    assert.equal(actionOf(intent)['type'], 'kyc');
    await world.t.clock.advance('1m');
    const kyc = { first_name: 'A', last_name: 'B', date_of_birth: '1990-01-01', document_number: 'T22000129' };
    const asked = expectStatus(await confirm(world, token, textOf(intent, 'id'), { action: 'kyc', kyc }), 200).json;
    assert.equal(actionOf(asked)['type'], 'bank_transfer');
    await world.t.clock.advance('29s');
    assert.equal((await readIntent(world, token, intent))['status'], 'requires_action');
    await world.t.clock.advance('1s');
    assert.equal((await readIntent(world, token, intent))['status'], 'succeeded');
  }),
];
