import assert from 'node:assert/strict';
import { SANDBOX_REFUNDS } from '@gateramp/adapters-provider-sandbox';
import { decimal } from '@gateramp/core/domain';
import {
  type Answer,
  buyer,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  type Members,
  paidTransaction,
  refund,
  SECRET,
  SELL,
  simulate,
  textOf,
  waitingIntent,
} from '../kit.js';
import { begin, delivered } from './scene.js';

const TOPIC = 'HTTP: refunds';

const PAID = '100.00';

/** The refunds in an answer, by status and amount. */
function shown({ json }: Pick<Answer, 'json'>): readonly string[] {
  // The shape of every answer is checked against the document.
  return (json['refunds'] as readonly Members[]).map(({ status, amount }) => `${String(status)} ${String(amount)}`);
}

function retrieve(world: HttpWorld, refid: string): Promise<Answer> {
  return world.send('GET', `/v1/transactions/${refid}`, { key: SECRET });
}

export const refundLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'a refund without an amount is of the whole, and the transaction becomes refunded', async (world) => {
    const refid = await paidTransaction(world);
    const { json } = expectStatus(await refund(world, refid), 201);
    assert.deepEqual([json['status'], json['amount_refunded']], ['refunded', PAID]);
    assert.deepEqual(shown({ json }), [`succeeded ${PAID}`]);
    assert.deepEqual((await retrieve(world, refid)).json, json);
  }),
  httpLaw(TOPIC, 'a part leaves the transaction completed, until the parts make up the whole', async (world) => {
    const refid = await paidTransaction(world);
    const part = expectStatus(await refund(world, refid, { amount: '40.5', reason: 'Damaged item' }), 201);
    assert.deepEqual([part.json['status'], part.json['amount_refunded']], ['completed', '40.50']);
    const rest = expectStatus(await refund(world, refid), 201);
    assert.deepEqual([rest.json['status'], rest.json['amount_refunded']], ['refunded', PAID]);
    assert.deepEqual(shown(rest), ['succeeded 40.50', 'succeeded 59.50']);
  }),
  httpLaw(TOPIC, 'the end of every refund is announced as transaction.updated, in sequence', async (world) => {
    const refid = await paidTransaction(world);
    const { json } = await refund(world, refid, { amount: '1.00' });
    await refund(world, refid, { amount: SANDBOX_REFUNDS.fails });
    await world.t.gate.runDue();
    assert.deepEqual(delivered(world).slice(-2), ['transaction.updated', 'transaction.updated']);
    assert.deepEqual(world.t.deliveries().at(-2)?.data, json);
  }),
  httpLaw(TOPIC, 'a refund that is declined says why and its amount can be refunded again', async (world) => {
    const refid = await paidTransaction(world);
    const declined = expectStatus(await refund(world, refid, { amount: SANDBOX_REFUNDS.fails }), 201);
    assert.deepEqual([declined.json['status'], declined.json['amount_refunded']], ['completed', null]);
    assert.deepEqual(shown(declined), [`failed ${SANDBOX_REFUNDS.fails}`]);
    assert.equal((await refund(world, refid)).json['amount_refunded'], PAID);
  }),
  httpLaw(TOPIC, 'a refund that is pending holds its amount and ends without another request', async (world) => {
    const refid = await paidTransaction(world);
    const slow = expectStatus(await refund(world, refid, { amount: SANDBOX_REFUNDS.isSlow }), 201);
    assert.deepEqual(shown(slow), [`pending ${SANDBOX_REFUNDS.isSlow}`]);
    expectRefusal(await refund(world, refid, { amount: '90.00' }), 422, 'refund_exceeds_amount');
    await world.t.clock.advance('61s');
    assert.deepEqual(shown(await retrieve(world, refid)), [`succeeded ${SANDBOX_REFUNDS.isSlow}`]);
  }),
  httpLaw(TOPIC, 'of refunds that race, none takes the transaction beyond what was paid', async (world) => {
    const refid = await paidTransaction(world);
    const amounts = ['60.00', '30.00', '60.00', '30.00'];
    const answers = await Promise.all(amounts.map((amount) => refund(world, refid, { amount })));
    for (const { status, json } of answers)
      if (status !== 201) assert.match(String(json['code']), /^(refund_exceeds_amount|refund_not_possible|try_again)$/);
    const { json } = await retrieve(world, refid);
    assert.ok(
      decimal.compare(String(json['amount_refunded']), PAID) <= 0,
      `refunded ${String(json['amount_refunded'])}`,
    );
  }),
  httpLaw(TOPIC, 'more than what is left is 422 refund_exceeds_amount, and changes nothing', async (world) => {
    const refid = await paidTransaction(world);
    const before = (await retrieve(world, refid)).json;
    expectRefusal(await refund(world, refid, { amount: '100.01' }), 422, 'refund_exceeds_amount');
    assert.deepEqual((await retrieve(world, refid)).json, before);
  }),
  httpLaw(
    TOPIC,
    'a transaction that is not completed, or refunded already, is 409 refund_not_possible',
    async (world) => {
      const { token } = await buyer(world);
      const waiting = textOf(await waitingIntent(world, token), 'tx_refid');
      expectRefusal(await refund(world, waiting), 409, 'refund_not_possible');
      const refid = await paidTransaction(world);
      expectStatus(await refund(world, refid), 201);
      expectRefusal(await refund(world, refid), 409, 'refund_not_possible');
    },
  ),
  httpLaw(TOPIC, 'a sale of crypto is 409 refund_not_possible: its buyer was paid out', async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, SELL);
    expectStatus(await simulate(world, sessionId, 'succeed'), 200);
    await world.t.clock.advance('1m');
    const refid = textOf(intent, 'tx_refid');
    assert.equal((await retrieve(world, refid)).json['status'], 'completed');
    expectRefusal(await refund(world, refid), 409, 'refund_not_possible');
  }),
  httpLaw(TOPIC, 'the list of payment methods says which can be refunded', async (world) => {
    const rows = itemsOf(await world.send('GET', '/v1/capabilities/payment_methods', { key: SECRET }));
    assert.deepEqual(
      rows.map(({ code, refundable }) => [code, refundable]),
      [
        ['card', true],
        ['bank_transfer', true],
        ['crypto', false],
      ],
    );
  }),
];
