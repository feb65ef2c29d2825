import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate, webhooks } from '@gateramp/sdk-node';
import { createTestGate, TEST_WEBHOOK_SECRET } from '@gateramp/testing';

test('an order is paid by the webhook of its session', async () => {
  const t = await createTestGate();
  const gate = new Gate(t.keys.secret.test, {
    baseUrl: 'http://localhost',
    fetch: (input, init) => t.gate.fetch(new Request(input, init), { mode: 'test', clientIp: '127.0.0.1' }),
  });
  const paid: (string | null)[] = [];
  const receiver = webhooks.receive({
    secret: TEST_WEBHOOK_SECRET,
    now: () => t.clock.wall(), // the clock that deliveries are signed by
    handle: ({ type, data }) => {
      if (type === 'gate_session.completed') paid.push(data.user_reference);
    },
  });
  t.receiver.answerWith(async ({ body, headers }) => {
    const answer = await receiver.receive(body, headers['gate-signature']);
    return { responseStatus: answer.status, responseBody: answer.body, error: null };
  });

  const session = await gate.gateSessions.create({
    amount: '25.00',
    currency: 'EUR',
    return_url: 'https://shop.example/done',
    user_reference: 'order-1',
  });
  await gate.testHelpers.simulate(session.id, 'succeed');
  await t.clock.advance('5m');
  assert.deepEqual(paid, ['order-1']);
  assert.equal((await gate.gateSessions.retrieve(session.id)).status, 'completed');
});
