import { describe, expect, it } from 'vitest';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { CARDS, checkout, story, type Checkout } from '../checkout.js';

/** The last day of a month, so that the next one is near. */
const END_OF_JANUARY = Date.UTC(2030, 0, 31, 12);

const gateWithQuota = (limit: number): Promise<TestGate> =>
  createTestGate({ partner: { completedSessionsQuota: limit }, startAt: END_OF_JANUARY });

async function complete(t: TestGate): Promise<void> {
  await t.settle((await t.createSession()).id);
  await t.gate.runDue();
}

async function beginAll(shops: readonly Checkout[]): Promise<readonly unknown[]> {
  const answers = await Promise.all(shops.map((shop) => shop.begin()));
  return answers.map(({ json }) => json['code'] ?? null);
}

const notices = (t: TestGate): readonly string[] =>
  t
    .deliveries()
    .flatMap(({ type, data }) =>
      type.startsWith('partner.quota') ? [`${type.slice(14)} ${String(data['used'])}`] : [],
    );

describe('a quota of completed sessions', () => {
  it('is announced at 80 % and at 100 %, each once a month', async () => {
    const t = await gateWithQuota(5);
    for (let n = 0; n < 3; n += 1) await complete(t);
    expect(notices(t)).toEqual([]);
    await complete(t);
    expect(notices(t)).toEqual(['warning 4']);
    await complete(t);
    expect(notices(t)).toEqual(['warning 4', 'exhausted 5']);
  });

  it('closes the checkout when it is used up, and reopens it in the new month', async () => {
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
    expect((await (await checkout(t)).begin()).json['code']).toBe('quota_exhausted');
    await t.clock.advance('12h');
    expect((await bootstrap()).json).toMatchObject({ available: true });
    await complete(t);
    expect(notices(t).filter((line) => line.startsWith('exhausted'))).toEqual(['exhausted 1', 'exhausted 1']);
  });

  it('is announced once, however many sessions complete concurrently', async () => {
    const t = await gateWithQuota(4);
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await t.createSession()).id));
    for (const id of ids)
      await t.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, {
        key: t.keys.secret.test,
        body: { scenario: 'processing' },
      });
    await Promise.all(ids.map((id) => t.settle(id)));
    await Promise.all([t.gate.runDue(), t.restart().gate.runDue()]);
    expect(
      notices(t)
        .map((line) => line.split(' ')[0])
        .toSorted(),
    ).toEqual(['exhausted', 'warning']);
  });

  it('is never exceeded by concurrent sessions: the last slot is taken once', async () => {
    const t = await gateWithQuota(3);
    const shops = await Promise.all(Array.from({ length: 6 }, () => checkout(t)));
    const codes = await beginAll(shops);
    expect(codes.filter((code) => code === 'quota_exhausted')).toHaveLength(3);
    await t.clock.advance('5m');
    expect(t.deliveries().filter(({ type }) => type === 'gate_session.completed')).toHaveLength(3);
  });

  it('gets a slot back when its attempt fails, is cancelled, expires or ends with its session, once each', async () => {
    const t = await gateWithQuota(1);
    const [first, second] = await Promise.all([checkout(t), checkout(t)]);
    const ends: readonly (() => Promise<unknown>)[] = [
      async () => first.begin(CARDS.declines),
      async () => first.cancelIntent(String((await first.begin(CARDS.asksForACode)).json['id'])),
      async () => {
        await first.begin(CARDS.asksForACode);
        await t.clock.advance('31m');
      },
      async () => {
        await first.begin(CARDS.asksForACode);
        await first.cancel();
      },
    ];
    for (const end of ends) {
      await end();
      const waiting = await second.begin(CARDS.asksForACode);
      expect(waiting.status, waiting.text).toBe(201);
      expect((await (await checkout(t)).begin()).json['code']).toBe('quota_exhausted');
      await second.cancelIntent(String(waiting.json['id']));
    }
  });

  it('counts a payment of the old month that completes in the new one there, and releases its slot in the old one', async () => {
    const t = await gateWithQuota(1);
    await t.clock.advanceTo(Date.UTC(2030, 1, 1) - 1_000);
    const shop = await checkout(t);
    await shop.begin();
    await t.clock.advance('1m');
    expect(await story(shop)).toContain('completed');
    const later = await checkout(t);
    expect((await later.begin()).json['code']).toBe('quota_exhausted');
  });

  it('counts nothing for a partner without one', async () => {
    const t = await createTestGate();
    await complete(t);
    expect(notices(t)).toEqual([]);
  });
});
