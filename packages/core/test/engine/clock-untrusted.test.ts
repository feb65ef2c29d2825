import { ClockUntrusted, manualClock } from '@gateramp/core/runtime';
import { createTestGate, TEST_KEYS } from '@gateramp/testing';
import { expect, it } from 'vitest';

it('responds with 503 service_unavailable and writes nothing while the time is unknown, and recovers afterwards', async () => {
  const manual = manualClock(Date.UTC(2030, 0, 1));
  let isTrusted = true;
  const now = (): number => {
    if (!isTrusted) throw new ClockUntrusted();
    return manual.now('test');
  };
  const t = await createTestGate({ ports: { testClock: { ...manual, now } } });
  const session = await t.createSession();
  const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
  const ask = async () => [
    await t.request('POST', '/v1/gate_sessions', {
      key: TEST_KEYS.secret.test,
      headers: { 'idempotency-key': 'k1' },
      body,
    }),
    await t.request('POST', `/v1/gate_sessions/${session.id}/cancel`, { key: TEST_KEYS.secret.test }),
  ];

  isTrusted = false;
  const answers = await ask();
  expect(answers.map(({ status, json }) => [status, json['code']])).toEqual(
    answers.map(() => [503, 'service_unavailable']),
  );
  await t.gate.runDue().catch(() => undefined);
  expect(t.deliveries()).toEqual([]);

  isTrusted = true;
  expect((await t.retrieveSession(session.id)).status).toBe('open');
  const listed = await t.request('GET', '/v1/gate_sessions', { key: TEST_KEYS.secret.test });
  expect(listed.json['data']).toHaveLength(1);
  expect((await ask()).map(({ status }) => status)).toEqual([201, 200]);
  await t.gate.runDue();
  expect(t.deliveries()).toHaveLength(3);
});
