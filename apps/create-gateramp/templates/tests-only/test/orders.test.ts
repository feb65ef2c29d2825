import { Gate } from '@gateramp/sdk-node';
import { createTestGate, TEST_WEBHOOK_SECRET } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { Orders } from '../src/orders.ts';

const MUG = { amount: '25.00', currency: 'EUR' };

/** A shop whose webhooks come from a gate in memory. `loseAnswer` makes the gate deliver an event again that the shop has handled. */
async function openShop({ loseAnswer = false } = {}) {
  const t = await createTestGate();
  const gate = new Gate(t.keys.secret.test, {
    baseUrl: 'http://localhost',
    fetch: (input, init) => t.gate.fetch(new Request(input, init), { mode: 'test', clientIp: '127.0.0.1' }),
  });
  const orders = new Orders(gate);
  t.receiver.answerWith(async ({ body, headers }) => {
    // A new receiver for each delivery, as after a restart: it does not remember which events it has seen.
    const receiver = orders.receiver(TEST_WEBHOOK_SECRET, () => t.clock.wall());
    const { status, body: answer } = await receiver.receive(body, headers['gate-signature']);
    const isLost = loseAnswer && t.deliveries().every(({ type }) => type !== 'gate_session.completed');
    return { responseStatus: isLost ? 500 : status, responseBody: answer, error: null };
  });
  return { t, gate, orders };
}

it('grants an order when its payment has settled', async () => {
  const { t, gate, orders } = await openShop();
  const session = await orders.place('order-1', MUG);
  expect(orders.granted).toEqual([]);
  await gate.testHelpers.simulate(session, 'succeed');
  await t.clock.advance('5m');
  expect(orders.granted).toEqual(['order-1']);
});

it('grants it once when the webhook is delivered twice', async () => {
  const { t, gate, orders } = await openShop({ loseAnswer: true });
  await gate.testHelpers.simulate(await orders.place('order-1', MUG), 'succeed');
  await t.clock.advance('1h');
  const completed = t.deliveries().filter(({ type }) => type === 'gate_session.completed');
  expect(completed.map(({ answer }) => answer.responseStatus)).toEqual([500, 200]);
  expect(orders.granted).toEqual(['order-1']);
});

it('grants nothing for a declined card; the buyer can try again', async () => {
  const { t, gate, orders } = await openShop();
  const session = await orders.place('order-1', MUG);
  await gate.testHelpers.simulate(session, 'decline');
  await t.clock.advance('5m');
  expect((await gate.gateSessions.retrieve(session)).status).toBe('open');
  expect(orders.granted).toEqual([]);
});

it('grants nothing for a session that nobody pays', async () => {
  const { t, gate, orders } = await openShop();
  const session = await orders.place('order-1', MUG);
  await t.clock.advance('25h');
  expect((await gate.gateSessions.retrieve(session)).status).toBe('expired');
  expect(orders.granted).toEqual([]);
});

it('grants nothing for a payment with other terms', async () => {
  const { t, orders } = await openShop();
  await orders.place('order-1', MUG);
  const other = await t.createSession({ ...MUG, amount: '1.00', user_reference: 'order-1' });
  await t.settle(other.id);
  await t.clock.advance('5m');
  expect(orders.granted).toEqual([]);
});
