import { expect, it } from 'vitest';
import { ACCEPTED, createTestGate, testDeadlines } from '@gateramp/testing';

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

it('moves time on by all that a test asks for, also where one advance of the test clock takes too long for that', async () => {
  const deadlines = testDeadlines();
  const t = await createTestGate({ ports: { deadlines } });
  await t.createSession();
  await t.createSession();
  t.receiver.answerWith(() => {
    deadlines.expire();
    return ACCEPTED;
  });
  const before = t.clock.now('test');
  expect(await t.clock.advance('25h')).toHaveLength(2);
  expect(t.clock.now('test') - before).toBe(25 * 60 * 60 * 1000);
});

it('rejects a duration that is not a number', async () => {
  const t = await createTestGate();
  await expect(async () => t.clock.advance(Date.parse('never'))).rejects.toThrow('Invalid duration NaN');
});
