const { createTestGate } = require('@gateramp/testing');

test('value is granted once the money has settled', async () => {
  const t = await createTestGate();
  const session = await t.createSession({ amount: '100.00' });
  await t.settle(session.id);
  await t.clock.advance('5m');
  expect(t.deliveries().map(({ type }) => type)).toEqual([
    'gate_session.created',
    'gate_session.processing',
    'gate_session.completed',
  ]);
  expect((await t.retrieveSession(session.id)).status).toBe('completed');
});
