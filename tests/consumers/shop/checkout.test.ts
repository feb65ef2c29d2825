import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestGate } from '@gateramp/testing';

test('value is granted once the money has settled', async () => {
  const t = await createTestGate(); // memory adapters, a virtual clock, a partner with keys and a webhook receiver
  const session = await t.createSession({ amount: '100.00' });
  await t.settle(session.id); // a test buyer pays
  await t.clock.advance('5m');
  assert.deepEqual(
    t.deliveries().map(({ type }) => type),
    ['gate_session.created', 'gate_session.processing', 'gate_session.completed'],
  );
  assert.equal((await t.retrieveSession(session.id)).status, 'completed');
});
