import { MINUTE } from '@gateramp/core/domain';
import type { Deadlines, DeliveryRecord, TimedResult, WebhookAnswer, WebhookSender } from '@gateramp/core/ports';
import { ACCEPTED, createTestGate, REFUSED, testDeadlines, type TestGate } from '@gateramp/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../../tests/depth.js';
import { DELIVERY_LEASE } from '../../../src/domain/webhook/delivery.js';
import { until } from '../until.js';

/** A webhook that the host's sender has been given. */
interface Sending {
  readonly eventId: string;
  readonly url: string;
  readonly timeoutMs: number;
  /** What the engine waits at most. */
  limitMs: number;
  settle: (answer: WebhookAnswer) => void;
  giveUp: () => void;
}

/** A sender that answers, and limits of its attempts that pass, when the test says so. */
function slowSender() {
  const sendings: Sending[] = [];
  const waits = new Map<Promise<unknown>, Sending>();
  const never = (): void => undefined;
  const sender: WebhookSender = {
    send: ({ url, headers, timeoutMs }) => {
      const eventId = headers['x-svc-event-id'] ?? '';
      const sending: Sending = { eventId, url, timeoutMs, limitMs: Infinity, settle: never, giveUp: never };
      const answered = new Promise<WebhookAnswer>((resolve) => (sending.settle = resolve));
      sendings.push(sending);
      waits.set(answered, sending);
      return answered;
    },
    close: () => Promise.resolve(),
  };
  const deadlines: Deadlines = {
    within: <Value>(work: Promise<Value>, limitMs: number) => {
      const sending = waits.get(work);
      const done = work.then((value): TimedResult<Value> => ({ kind: 'done', value }));
      if (sending === undefined) return done;
      sending.limitMs = limitMs;
      const late = new Promise<TimedResult<Value>>((resolve) => (sending.giveUp = () => resolve({ kind: 'late' })));
      return Promise.race([done, late]);
    },
    rest: async () => undefined,
  };
  return { sendings, ports: { sender, deadlines } };
}

const ALL = {
  status: null,
  eventType: null,
  eventId: null,
  target: null,
  sessionId: null,
  createdAfter: null,
  createdBefore: null,
};

function deliveriesOf(t: TestGate, partnerId: string): Promise<readonly DeliveryRecord[]> {
  return t.store.list('delivery', { partnerId, mode: 'test' }, ALL, { limit: 100, start: { kind: 'newest' } });
}

async function admit(t: TestGate, partnerId: string): Promise<void> {
  await t.gate.admin.savePartner({ ...t.partner, id: partnerId, name: partnerId });
  const endpoint = { url: `https://shop.example/${partnerId}`, secret: `whsec_00000000000000000000000${partnerId}` };
  await t.gate.admin.setEndpoint({ partnerId, mode: 'test' }, endpoint);
}

/** Every turn of the event loop that work without a wait may need. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it.each([10_000, 6_000, 59_999])(
  'a sender with a timeout of %s ms that never settles fails the attempt once, before its lease ends',
  async (attemptTimeout) => {
    const slow = slowSender();
    const t = await createTestGate({ ports: slow.ports, policy: { attemptTimeout } });
    await t.gate.webhooks.test({ partnerId: t.partner.id, mode: 'test' });
    const ran = t.gate.runDue();
    await until(() => slow.sendings.length === 1);
    const [sending] = slow.sendings;
    expect(sending?.limitMs).toBeGreaterThan(attemptTimeout);
    expect(sending?.limitMs).toBeLessThan(DELIVERY_LEASE);
    sending?.giveUp();
    await ran;
    const now = t.clock.now('test');
    const failed = {
      delivery: { status: 'retrying', attemptCount: 1, lastError: 'timeout', dueAt: now + MINUTE, leaseToken: null },
      attempts: [{ number: 1, error: 'timeout', url: sending?.url, responseStatus: null }],
    };
    expect(await deliveriesOf(t, t.partner.id)).toMatchObject([failed]);
    sending?.settle(ACCEPTED);
    await settled();
    expect(await deliveriesOf(t, t.partner.id)).toMatchObject([failed]);
    await t.clock.advanceTo(now + MINUTE - 1);
    await t.gate.runDue();
    expect(slow.sendings).toHaveLength(1);
    await t.clock.advanceTo(now + MINUTE);
    const again = t.gate.runDue();
    await until(() => slow.sendings.length === 2);
    slow.sendings[1]?.settle(ACCEPTED);
    await again;
    expect(await deliveriesOf(t, t.partner.id)).toMatchObject([{ delivery: { status: 'delivered', attemptCount: 2 } }]);
  },
);

it("other partners' webhooks are sent while a sender hangs on one", async () => {
  const slow = slowSender();
  const t = await createTestGate({ ports: slow.ports });
  await admit(t, 'bolt');
  await t.gate.webhooks.test({ partnerId: t.partner.id, mode: 'test' });
  void t.gate.runDue();
  await until(() => slow.sendings.length === 1);
  await t.gate.webhooks.test({ partnerId: 'bolt', mode: 'test' });
  void t.gate.runDue();
  await until(() => slow.sendings.length === 2);
  slow.sendings[1]?.settle(ACCEPTED);
  await until(async () => (await deliveriesOf(t, 'bolt'))[0]?.delivery.status === 'delivered');
  expect(await deliveriesOf(t, t.partner.id)).toMatchObject([{ delivery: { status: 'pending', attemptCount: 0 } }]);
});

it('an endpoint that is not found in time frees the place of its delivery, which is claimed again', async () => {
  const deadlines = testDeadlines();
  const t = await createTestGate({ ports: { deadlines } });
  await t.gate.webhooks.test({ partnerId: t.partner.id, mode: 'test' });
  const stuck = t.restart({ partners: { ...t.store, findEndpoint: () => new Promise<never>(() => undefined) } });
  const ran = stuck.gate.runDue();
  await until(() => deadlines.waiting.length === 1);
  deadlines.expire();
  await ran;
  expect(t.telemetry.failures).toMatchObject([{ error: { message: expect.stringContaining('within 10 s') } }]);
  expect(stuck.gate.leasesHeld()).toBe(0);
  await t.clock.advanceTo(t.clock.now('test') + DELIVERY_LEASE);
  await t.gate.runDue();
  expect(await deliveriesOf(t, t.partner.id)).toMatchObject([{ delivery: { status: 'delivered', attemptCount: 1 } }]);
});

it('a webhook is leased by the newest time of its sandbox, which another process has moved', async () => {
  const slow = slowSender();
  const t = await createTestGate({ ports: slow.ports, policy: { testClock: 'partner' } });
  await t.gate.runDue();
  await t.restart().gate.advanceTestClock(60 * MINUTE, t.partner.id);
  await t.gate.webhooks.test({ partnerId: t.partner.id, mode: 'test' });
  void t.gate.runDue();
  await until(() => slow.sendings.length === 1);
  void t.restart().gate.runDue();
  await settled();
  expect(slow.sendings).toHaveLength(1);
});

const STEPS = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: fc.constant('create'), partner: fc.constantFrom('acme', 'bolt') }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('work'), process: fc.nat(1) }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom('accept', 'refuse', 'give up'), sending: fc.nat(20) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.constantFrom(1_000, MINUTE, 5 * MINUTE) }) },
  ),
  { maxLength: 40 },
);

it('whenever senders answer, give up and lose their leases, an attempt is recorded once, by the holder of the lease', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const slow = slowSender();
      const t = await createTestGate({ ports: slow.ports });
      const processes = [t, t.restart()];
      await Promise.all(['acme', 'bolt'].map((partnerId) => admit(t, partnerId)));
      const ended = new Set<Sending>();
      const expected = new Map<string, (string | number)[]>();
      for (const step of steps) {
        if (step.do === 'create') await t.gate.webhooks.test({ partnerId: step.partner, mode: 'test' });
        else if (step.do === 'pass') await t.clock.advanceTo(t.clock.now('test') + step.ms);
        else if (step.do === 'work') void processes[step.process]?.gate.runDue();
        else {
          const sending = slow.sendings[step.sending];
          if (sending === undefined) continue;
          const outcome = { accept: 200, refuse: 500, 'give up': 'timeout' }[step.do];
          const holder = slow.sendings.findLast(({ eventId }) => eventId === sending.eventId);
          if (!ended.has(sending) && holder === sending)
            expected.set(sending.eventId, [...(expected.get(sending.eventId) ?? []), outcome]);
          ended.add(sending);
          if (step.do === 'give up') sending.giveUp();
          else sending.settle(step.do === 'accept' ? ACCEPTED : REFUSED);
        }
        await settled();
      }
      const deliveries = (await Promise.all(['acme', 'bolt'].map((id) => deliveriesOf(t, id)))).flat();
      for (const { delivery, attempts } of deliveries) {
        const recorded = attempts.map(({ responseStatus, error }) => error ?? responseStatus);
        expect(recorded).toEqual(expected.get(delivery.eventId) ?? []);
        expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, n) => n + 1));
        expect(delivery.status === 'delivered').toBe(recorded.includes(200));
      }
      expect(t.telemetry.failures).toEqual([]);
    }),
    { numRuns: runs(60, 1_000) },
  );
});
