import { createTestGate, REFUSED } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { checkout } from '../checkout.js';

it('every note and alarm of a delivery or payment names its partner', async () => {
  const t = await createTestGate();
  t.receiver.answerWith(() => REFUSED);
  const session = await t.createSession();
  await t.settle(session.id);
  await t.clock.advance('5h');
  const named = { partner_id: t.partner.id, mode: 'test' };
  const { notes, alarms } = t.telemetry;
  const told = [...notes.filter(({ name }) => name === 'delivery_attempt' || name === 'payment'), ...alarms];
  expect(new Set(told.map(({ name }) => name))).toEqual(
    new Set(['delivery_attempt', 'payment', 'delivery_dead_lettered']),
  );
  for (const { fields } of told) expect(fields).toMatchObject(named);
});

it('only the first attempt of a delivery is noted with the time that the delivery was due', async () => {
  const t = await createTestGate();
  t.receiver.answerWith(() => REFUSED);
  await t.createSession();
  await t.clock.advance('2m');
  const attempts = t.telemetry.notes.filter(({ name }) => name === 'delivery_attempt');
  expect(attempts.map(({ fields }) => [fields['attempt'], fields['waited_ms']])).toEqual([
    [1, 0],
    [2, null],
  ]);
});

it('a payment is noted once, with its final status', async () => {
  const t = await createTestGate();
  const paid = await checkout(t);
  await paid.begin();
  const declined = await checkout(t);
  await declined.begin('4000000000000002');
  await t.clock.advance('1m');
  await t.clock.advance('1h');
  const outcomes = t.telemetry.notes.filter(({ name }) => name === 'payment').map(({ fields }) => fields['outcome']);
  expect(outcomes.toSorted()).toEqual(['completed', 'failed']);
});

it('a response names the authenticated partner for logs, and none if unknown', async () => {
  const t = await createTestGate();
  const asked = (headers: Record<string, string>) =>
    t.gate.handle('test', {
      method: 'GET',
      path: '/v1/gate_sessions',
      query: '',
      headers,
      body: { kind: 'bytes', bytes: new Uint8Array(0) },
      clientIp: '203.0.113.7',
    });
  expect((await asked({ authorization: `Bearer ${t.keys.secret.test}` })).partnerId).toBe(t.partner.id);
  expect((await asked({})).partnerId).toBeUndefined();
});
