import assert from 'node:assert/strict';
import { CALLBACK_SIGNATURE_HEADER, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import {
  type Answer,
  buyer,
  CALLBACK_SECRET,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  refund,
  simulate,
  textOf,
} from '../kit.js';
import { delivered, readTransaction } from './scene.js';

const TOPIC = 'HTTP: chargebacks, won disputes and returned refunds';

interface Paid {
  readonly sessionId: string;
  readonly intent: Members;
  readonly refid: string;
}

async function paid(world: HttpWorld): Promise<Paid> {
  const { sessionId } = await buyer(world);
  const intent = expectStatus(await simulate(world, sessionId, 'succeed'), 200).json;
  return { sessionId, intent, refid: textOf(intent, 'tx_refid') };
}

/** Simulates an action of the buyer's bank, and reads the transaction after it. */
async function bank(world: HttpWorld, { sessionId, intent }: Paid, scenario: string, body: Members = {}) {
  expectStatus(await simulate(world, sessionId, scenario, body), 200);
  return readTransaction(world, intent);
}

function disputes(transaction: Members): readonly string[] {
  // The shape of every answer is checked against the document.
  const all = transaction['disputes'] as readonly Members[];
  return all.map(({ amount, currency, status }) => `${String(status)} ${String(amount)} ${String(currency)}`);
}

function refunds(transaction: Members): readonly string[] {
  const all = transaction['refunds'] as readonly Members[];
  return all.map((one) => `${String(one['status'])}${one['returned_at'] === null ? '' : ', returned'}`);
}

/** A signed callback of the provider about the payment. */
async function callBack(world: HttpWorld, { intent }: Paid, update: Members): Promise<Answer> {
  const scope = { partnerId: world.t.partner.id, mode: 'test' } as const;
  const stored = await world.t.store.find('intent', scope, textOf(intent, 'id'));
  const body = JSON.stringify({ operation_id: stored?.operationId, ...update });
  const headers = { [CALLBACK_SIGNATURE_HEADER]: signSandboxCallback(body, CALLBACK_SECRET, world.t.clock.wall()) };
  return world.send('POST', '/v1/providers/sandbox/callbacks', { body, headers });
}

export const disputeLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'a chargeback of a part leaves the transaction completed, and its amount is a dispute',
    async (world) => {
      const payment = await paid(world);
      const part = await bank(world, payment, 'charged_back', { amount: '40.5' });
      assert.deepEqual([part['status'], disputes(part)], ['completed', ['open 40.50 EUR']]);
      await world.t.gate.runDue();
      assert.equal(delivered(world).at(-1), 'transaction.updated');
      assert.deepEqual(world.t.deliveries().at(-1)?.data, part);
      assert.deepEqual(
        world.t.telemetry.alarms.map(({ name }) => name),
        ['charged_back'],
      );
    },
  ),
  httpLaw(TOPIC, 'what the bank has taken cannot be refunded, unless the dispute is won', async (world) => {
    const payment = await paid(world);
    await bank(world, payment, 'charged_back', { amount: '40.00' });
    expectRefusal(await refund(world, payment.refid, { amount: '60.01' }), 422, 'refund_exceeds_amount');
    const won = await bank(world, payment, 'dispute_won');
    assert.deepEqual([won['status'], disputes(won)], ['completed', ['won 40.00 EUR']]);
    const whole = expectStatus(await refund(world, payment.refid), 201).json;
    assert.deepEqual([whole['status'], whole['amount_refunded']], ['refunded', '100.00']);
  }),
  httpLaw(TOPIC, 'a payment that was charged back as a whole stays so when its dispute is won', async (world) => {
    const payment = await paid(world);
    await bank(world, payment, 'charged_back', { amount: '40.00' });
    const whole = await bank(world, payment, 'charged_back');
    assert.deepEqual([whole['status'], disputes(whole)], ['charged_back', ['open 40.00 EUR', 'open 60.00 EUR']]);
    const won = await bank(world, payment, 'dispute_won');
    assert.deepEqual([won['status'], disputes(won)], ['charged_back', ['open 40.00 EUR', 'won 60.00 EUR']]);
    await world.t.gate.runDue();
    assert.deepEqual(delivered(world).slice(-3), ['transaction.updated', 'transaction.updated', 'transaction.updated']);
  }),
  httpLaw(TOPIC, 'a refund that the bank sent back is shown, and cannot be refunded again', async (world) => {
    const payment = await paid(world);
    expectStatus(await refund(world, payment.refid, { amount: '30.00' }), 201);
    const part = await bank(world, payment, 'refund_returned');
    assert.deepEqual(
      [part['status'], part['amount_refunded'], part['amount_returned'], refunds(part)],
      ['completed', '30.00', '30.00', ['succeeded, returned']],
    );
    expectRefusal(await refund(world, payment.refid, { amount: '70.01' }), 422, 'refund_exceeds_amount');
    expectStatus(await refund(world, payment.refid), 201);
    const whole = await bank(world, payment, 'refund_returned');
    assert.deepEqual(
      [whole['status'], whole['amount_refunded'], whole['amount_returned']],
      ['refunded', '100.00', '100.00'],
    );
    expectRefusal(await refund(world, payment.refid), 409, 'refund_not_possible');
    await world.t.gate.runDue();
    assert.deepEqual(world.t.deliveries().at(-1)?.data, whole);
  }),
  httpLaw(TOPIC, 'simulating what the bank cannot do is refused, and changes nothing', async (world) => {
    const payment = await paid(world);
    const before = await readTransaction(world, payment.intent);
    for (const [scenario, body] of [
      ['charged_back', { amount: '100.01' }],
      ['dispute_won', {}],
      ['refund_returned', {}],
    ] as const)
      expectRefusal(await simulate(world, payment.sessionId, scenario, body), 400, 'validation_failed');
    assert.deepEqual(await readTransaction(world, payment.intent), before);
  }),
  httpLaw(TOPIC, 'a chargeback simulated for an open session is of its payment, which is made first', async (world) => {
    const { sessionId } = await buyer(world);
    const intent = expectStatus(await simulate(world, sessionId, 'charged_back'), 200).json;
    const transaction = await readTransaction(world, intent);
    assert.deepEqual([transaction['status'], disputes(transaction)], ['charged_back', ['open 100.00 EUR']]);
  }),
  httpLaw(TOPIC, 'callbacks about the bank converge in any order, and a repeat changes nothing', async (world) => {
    const payment = await paid(world);
    const made = expectStatus(await refund(world, payment.refid, { amount: '30.00' }), 201).json;
    const [{ id: refundId } = { id: '' }] = made['refunds'] as readonly Members[];
    const dispute = { id: 'dp_1', amount: '40.00' };
    const updates: readonly Members[] = [
      { event_id: 'e2', outcome: 'dispute_won', dispute },
      { event_id: 'e1', outcome: 'charged_back', dispute },
      { event_id: 'e3', outcome: 'refund_returned', refund_id: refundId },
    ];
    for (const update of updates) expectStatus(await callBack(world, payment, update), 200);
    const settled = await readTransaction(world, payment.intent);
    assert.deepEqual(
      [settled['status'], disputes(settled), refunds(settled)],
      ['completed', ['won 40.00 EUR'], ['succeeded, returned']],
    );
    for (const update of updates) {
      expectStatus(await callBack(world, payment, update), 200);
      expectStatus(await callBack(world, payment, { ...update, event_id: `${String(update['event_id'])}-again` }), 200);
    }
    assert.deepEqual(await readTransaction(world, payment.intent), settled);
    for (const outcome of ['dispute_won', 'refund_returned'])
      expectRefusal(await callBack(world, payment, { event_id: 'e4', outcome }), 400, 'validation_failed');
  }),
];
