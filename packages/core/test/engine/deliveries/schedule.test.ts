import { CLAIMS_MAX } from '../../../src/domain/task.js';
import { DELIVERY_LEASE } from '../../../src/domain/webhook/delivery.js';
import { HOUR, MINUTE, SECOND, type Delivery } from '@gateramp/core/domain';
import type { DeliveryRecord, WebhookRequest, WebhookSender } from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';
import { ACCEPTED, createTestGate, REFUSED, type TestGate } from '@gateramp/testing';
import { scopeOf } from '../checkout.js';
import { until } from '../until.js';

const ALL = {
  status: null,
  eventType: null,
  eventId: null,
  target: null,
  sessionId: null,
  createdAfter: null,
  createdBefore: null,
};

async function deliveries(t: TestGate): Promise<readonly DeliveryRecord[]> {
  return t.store.list('delivery', scopeOf(t), ALL, { limit: 100, start: { kind: 'newest' } });
}

async function only(t: TestGate): Promise<DeliveryRecord> {
  const [one, ...others] = await deliveries(t);
  if (one === undefined || others.length > 0) throw new Error('There is not exactly one delivery.');
  return one;
}

describe('a failing webhook', () => {
  it('is tried immediately, then 1 m, 5 m, 30 m and 2 h after the previous failure, then dead-lettered', async () => {
    const t = await createTestGate();
    t.receiver.answerWith(async () => {
      // The attempt itself takes time; delays count from its end.
      await t.clock.advanceTo(t.clock.now('test') + 3 * SECOND);
      return REFUSED;
    });
    await t.createSession();
    await t.clock.advance('1d');
    const { delivery, attempts } = await only(t);
    const begun = attempts.map((attempt) => attempt.startedAt - delivery.createdAt);
    const gaps = begun.map((at, n) => (n === 0 ? at : at - (begun[n - 1] ?? 0) - 3 * SECOND));
    expect(gaps).toEqual([0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]);
    expect(attempts.map((attempt) => [attempt.number, attempt.trigger])).toEqual([
      [1, 'initial'],
      [2, 'scheduled'],
      [3, 'scheduled'],
      [4, 'scheduled'],
      [5, 'scheduled'],
    ]);
    expect(delivery).toMatchObject({ status: 'dead_lettered', attemptCount: 5, dueAt: null });
    expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(['delivery_dead_lettered']);
  });

  it('has a new signature in each attempt: another t, the same bytes, the same id', async () => {
    const t = await createTestGate();
    t.receiver.answerWith(() => REFUSED);
    await t.createSession();
    await t.clock.advance('1d');
    const { received } = t.receiver;
    const signedAt = received.map((webhook) => /^t=(\d+),/.exec(webhook.headers['gate-signature'] ?? '')?.[1]);
    expect(new Set(signedAt).size).toBe(5);
    expect(new Set(received.map((webhook) => webhook.body)).size).toBe(1);
    expect(new Set(received.map((webhook) => webhook.headers['x-svc-event-id'])).size).toBe(1);
    expect(received.every((webhook) => webhook.verified)).toBe(true);
  });

  it('is not sent again once it is acknowledged', async () => {
    const t = await createTestGate();
    let answered = 0;
    t.receiver.answerWith(() => ((answered += 1) < 3 ? REFUSED : ACCEPTED));
    await t.createSession();
    await t.clock.advance('1d');
    expect(await only(t)).toMatchObject({ delivery: { status: 'delivered', attemptCount: 3 } });
    expect(t.receiver.received).toHaveLength(3);
  });
});

describe('a process that dies between claim and record', () => {
  it('uses up no attempt; another process claims the delivery after the lease has expired', async () => {
    const t = await createTestGate();
    await t.createSession();
    void t.restart({ sender: unheard(t) }).gate.runDue();
    await until(() => t.receiver.received.length === 1);
    const lapsesAt = t.clock.now('test') + DELIVERY_LEASE;
    await t.clock.advanceTo(lapsesAt - 1);
    await t.gate.runDue();
    expect((await only(t)).delivery).toMatchObject({ status: 'pending', attemptCount: 0, claims: 1 });
    await t.clock.advanceTo(lapsesAt);
    await t.gate.runDue();
    expect(await only(t)).toMatchObject({
      delivery: { status: 'delivered', attemptCount: 1, claims: 0 },
      attempts: [{ number: 1 }],
    });
    expect(t.receiver.received).toHaveLength(2);
  });

  it('repeatedly gets its delivery parked after twenty claims, with an alarm and no attempt counted', async () => {
    const t = await createTestGate();
    await t.createSession();
    for (let death = 0; death < CLAIMS_MAX; death += 1) {
      let calls = 0;
      const hanging = {
        send: () => ((calls += 1), new Promise<never>(() => undefined)),
        close: () => Promise.resolve(),
      };
      void t.restart({ sender: hanging }).gate.runDue();
      await until(() => calls === 1);
      await t.clock.advanceTo(t.clock.now('test') + DELIVERY_LEASE);
    }
    await t.gate.runDue();
    const parked: Partial<Delivery> = {
      status: 'retrying',
      attemptCount: 0,
      parkedAt: t.clock.now('test'),
      leaseToken: null,
    };
    expect((await only(t)).delivery).toMatchObject(parked);
    expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(['delivery_parked']);
    expect(t.receiver.received).toHaveLength(0);
  });
});

describe('an attempt', () => {
  it('starts when it is sent: looking up the endpoint does not count towards its time', async () => {
    const t = await createTestGate();
    await t.createSession();
    const began = t.clock.now('test');
    const findEndpoint: typeof t.store.findEndpoint = async (scope) => {
      await t.clock.advanceTo(began + 7_000);
      return t.store.findEndpoint(scope);
    };
    await t.restart({ store: { ...t.store, findEndpoint } }).gate.runDue();
    expect(await only(t)).toMatchObject({ attempts: [{ startedAt: began + 7_000, durationMs: 0 }] });
  });
});

describe('an endpoint', () => {
  it('without a URL at the commit of an event gets no delivery, even if a URL is set later', async () => {
    const t = await createTestGate();
    await t.gate.admin.setEndpoint(scopeOf(t), { url: null, secret: null });
    await t.createSession();
    await t.gate.admin.setEndpoint(scopeOf(t), { url: 'https://shop.example/hooks', secret: null });
    await t.clock.advance('1d');
    expect(await deliveries(t)).toEqual([]);
  });

  it('is used with its current URL and secret in each attempt', async () => {
    const t = await createTestGate();
    t.receiver.answerWith(() => REFUSED);
    await t.createSession();
    await t.clock.advance('1s');
    await t.gate.admin.setEndpoint(scopeOf(t), {
      url: 'https://shop.example/moved',
      secret: 'whsec_anothersecretofsomelength',
    });
    await t.clock.advance('2m');
    await t.gate.admin.setEndpoint(scopeOf(t), { url: null, secret: null });
    await t.clock.advance('10m');
    expect(t.receiver.received.map((webhook) => [webhook.url, webhook.verified])).toEqual([
      ['https://shop.example/hooks', true],
      ['https://shop.example/moved', false],
    ]);
    const { attempts } = await only(t);
    expect(attempts.map((attempt) => attempt.error)).toEqual([null, null, 'endpoint_missing']);
  });

  it('that hangs delays no other partner, however many deliveries it has', async () => {
    const t = await createTestGate({ policy: { attemptsPerEndpointMax: 2, attemptsInFlightMax: 4 } });
    const other = { ...t.partner, id: '65f0c0ffee65f0c0ffee0002' };
    await t.gate.admin.savePartner(other);
    const otherScope = { partnerId: other.id, mode: 'test' as const };
    await t.gate.admin.setEndpoint(otherScope, {
      url: 'https://other.example/hooks',
      secret: 'whsec_0000000000000000000000000other',
    });
    t.receiver.answerWith((webhook: WebhookRequest) =>
      webhook.url.startsWith('https://other') ? ACCEPTED : new Promise<never>(() => undefined),
    );
    for (let n = 0; n < 20; n += 1) await t.createSession();
    for (let n = 0; n < 5; n += 1) {
      await t.gate.sessions.create(otherScope, {
        amount: '1.00',
        currency: 'EUR',
        return_url: 'https://shop.example/done',
      });
    }
    for (let wake = 0; wake < 5; wake += 1) {
      void t.gate.runDue();
      await turn();
    }
    expect(t.receiver.received.map((webhook) => webhook.url)).toEqual(
      Array.from({ length: 5 }, () => 'https://other.example/hooks'),
    );
  });
});

/** Requests arrive, but are never answered. */
function unheard(t: TestGate): WebhookSender {
  const send = async (request: WebhookRequest) => (
    await t.ports.sender?.send(request),
    new Promise<never>(() => undefined)
  );
  return { send, close: () => Promise.resolve() };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
