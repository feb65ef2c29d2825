import { describe, expect, it } from 'vitest';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { checkout } from '../checkout.js';

/** The last day of a month, so that the next one is near. */
const END_OF_JANUARY = Date.UTC(2030, 0, 31, 12);

const gateWithQuota = (limit: number): Promise<TestGate> =>
  createTestGate({ partner: { completedSessionsQuota: limit }, startAt: END_OF_JANUARY });

async function complete(t: TestGate): Promise<void> {
  await t.settle((await t.createSession()).id);
  await t.gate.runDue();
}

const told = (t: TestGate): readonly string[] =>
  t.deliveries().flatMap(({ type, data }) => (type.startsWith('partner.quota') ? [`${type.slice(14)} ${String(data['used'])}`] : []));

describe('a quota of completed sessions', () => {
  it('is announced at 80 % and at 100 %, each once a month', async () => {
    const t = await gateWithQuota(5);
    for (let n = 0; n < 3; n += 1) await complete(t);
    expect(told(t)).toEqual([]);
    await complete(t);
    expect(told(t)).toEqual(['warning 4']);
    await complete(t);
    expect(told(t)).toEqual(['warning 4', 'exhausted 5']);
  });

  it('closes the checkout when it is used up, and opens it with the new month', async () => {
    const t = await gateWithQuota(1);
    const waiting = await t.createSession();
    await complete(t);
    const bootstrap = () =>
      t.request('POST', '/v1/embed/bootstrap', {
        key: t.keys.publishable.test,
        headers: { origin: 'https://shop.example' },
        body: { clientSecret: waiting.client_secret },
      });
    expect((await bootstrap()).json).toMatchObject({ available: false, unavailable_reason: 'quota_exhausted' });
    expect((await (await checkout(t)).begin()).json['code']).toBe('service_unavailable');
    await t.clock.advance('12h');
    expect((await bootstrap()).json).toMatchObject({ available: true });
    await complete(t);
    expect(told(t).filter((line) => line.startsWith('exhausted'))).toEqual(['exhausted 1', 'exhausted 1']);
  });

  it('is announced once however many sessions complete at once', async () => {
    const t = await gateWithQuota(4);
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await t.createSession()).id));
    for (const id of ids) await t.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, { key: t.keys.secret.test, body: { scenario: 'processing' } });
    await Promise.all(ids.map((id) => t.settle(id)));
    await Promise.all([t.gate.runDue(), t.restart().gate.runDue()]);
    expect(told(t).map((line) => line.split(' ')[0]).toSorted()).toEqual(['exhausted', 'warning']);
  });

  it('counts nothing for a partner without one', async () => {
    const t = await createTestGate();
    await complete(t);
    expect(told(t)).toEqual([]);
  });
});
