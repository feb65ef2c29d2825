import { expect, it } from 'vitest';
import { createTestGate } from '@gateramp/testing';

it('takes a session from create to a signed completed webhook on a virtual clock', async () => {
  const t = await createTestGate();
  const session = await t.createSession({ amount: '100.00' });
  await t.settle(session.id);
  await t.clock.advance('5m');
  expect(t.deliveries().map((webhook) => webhook.type)).toEqual([
    'gate_session.created',
    'gate_session.processing',
    'gate_session.completed',
  ]);
  expect(t.deliveries().every((webhook) => webhook.verified)).toBe(true);
  expect((await t.retrieveSession(session.id)).status).toBe('completed');
  expect(t.telemetry.failures).toEqual([]);
});
