import { inProcessScheduler } from '@gateramp/adapters-store-memory';
import type { Policy } from '@gateramp/core';
import type { Scheduler, WakeHint } from '@gateramp/core/ports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ACCEPTED,
  createTestGate,
  stillScheduler,
  TEST_WEBHOOK_SECRET,
  virtualTimers,
  type TestGate,
  type VirtualTimers,
} from '@gateramp/testing';
import { checkout } from '../checkout.js';
import { until } from '../until.js';
import { deadLettered, DELIVERIES } from '../webhooks/partner-tools.js';
import { overStore } from '../../../../conformance/test/faults/over.js';
import { runs } from '../../../../../tests/depth.js';

describe('a worker on a scheduler', () => {
  it('delivers committed events immediately, without waiting for a sweep', async () => {
    const { t, timers } = await running((scheduler) => scheduler);
    await t.createSession();
    await elapse(t, timers, 50);
    expect(t.receiver.received).toHaveLength(1);
    await t.gate.stop();
  });

  it('delivers replayed webhooks immediately', async () => {
    const { t, timers } = await running((scheduler) => scheduler);
    const [id] = await deadLettered(t);
    await elapse(t, timers, 10_000);
    t.receiver.clear();
    const replayed = await t.request('POST', `${DELIVERIES}/${id}/replay`, { key: t.keys.secret.test });
    expect(replayed.status).toBe(202);
    await elapse(t, timers, 50);
    expect(t.receiver.received).toHaveLength(1);
    await t.gate.stop();
  });

  it('with fewer slots than work runs the rest as slots become free', async () => {
    const { t, timers } = await running((scheduler) => scheduler, {
      attemptsInFlightMax: 2,
      attemptsPerEndpointMax: 2,
    });
    for (let n = 0; n < 15; n += 1) await t.createSession();
    await elapse(t, timers, 500);
    expect(t.receiver.received).toHaveLength(15);
    await t.gate.stop();
  });

  it('claims once when there is less work than the limit', async () => {
    const t = await createTestGate();
    await t.createSession();
    let claims = 0;
    const counted = t.restart({
      store: overStore(t.store, {
        claim: {
          delivery: (request) => {
            if (request.lane === 'first') claims += 1;
            return t.store.claim('delivery', request);
          },
        },
      }),
    });
    await counted.gate.start();
    await turns(1_000);
    expect(t.receiver.received).toHaveLength(1);
    expect(claims).toBe(1);
    await counted.gate.stop();
  });

  it('delays no due work until the look-up of the next item', async () => {
    const t = await createTestGate();
    let looks = 0;
    const blind = t.restart({
      store: { ...t.store, nextDue: () => ((looks += 1), new Promise(() => undefined)) },
      scheduler: inProcessScheduler(),
    });
    await blind.gate.start();
    await until(() => looks > 0);
    await t.createSession();
    const { id } = await blind.createSession();
    await until(() => t.receiver.received.some(({ data }) => data['id'] === id));
    expect(looks).toBeLessThan(3);
  });

  it('continues without a wake-up when all its work has ended before it found more', async () => {
    const t = await createTestGate({ policy: { attemptsPerEndpointMax: 4 } });
    for (let n = 0; n < 15; n += 1) await t.createSession();
    const slow = t.restart({
      store: { ...t.store, nextDue: async (mode) => (await turns(20), t.store.nextDue(mode)) },
    });
    await slow.gate.start();
    await turns(1_000);
    expect(t.receiver.received).toHaveLength(15);
    await slow.gate.stop();
  });

  it('does not count an attempt as running at its endpoint once it was answered, however long recording takes', async () => {
    const t = await createTestGate({ policy: { attemptsPerEndpointMax: 4 } });
    for (let n = 0; n < 15; n += 1) await t.createSession();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = t.restart({
      store: { ...t.store, recordDelivery: async (outcome) => (await held, t.store.recordDelivery(outcome)) },
    });
    await slow.gate.start();
    await turns(1_000);
    expect(t.receiver.received).toHaveLength(15);
    release();
    await slow.gate.stop();
    expect(await t.store.nextDue('test')).toBeNull();
  });

  it('never lets hanging receivers take the last slots, however many events each has', async () => {
    const t = await createTestGate({ policy: { attemptsInFlightMax: 64 } });
    const hanging = Array.from({ length: 20 }, (_, nth) => ({
      partnerId: `65f0c0ffee65f0c0ffee1${String(nth).padStart(3, '0')}`,
      mode: 'test' as const,
    }));
    for (const scope of hanging) {
      await t.gate.admin.savePartner({ ...t.partner, id: scope.partnerId });
      await t.gate.admin.setEndpoint(scope, { url: 'https://hangs.example/', secret: TEST_WEBHOOK_SECRET });
      const owed = { amount: '10.00', currency: 'EUR', return_url: 'https://shop.example/done' };
      for (let n = 0; n < 10; n += 1) expect((await t.gate.sessions.create(scope, owed)).isOk()).toBe(true);
    }
    t.receiver.answerWith(({ url }) => (url.includes('hangs') ? new Promise(() => undefined) : ACCEPTED));
    await t.gate.start();
    await turns(500);
    for (let n = 1; n <= 8; n += 1) await t.createSession();
    void t.gate.runDue();
    await turns(500);
    expect(t.receiver.received).toHaveLength(8);
  });

  it('tries again a little later, and not in a loop, when another process holds the slots of an endpoint', async () => {
    let looks = 0;
    const hints: WakeHint[] = [];
    const t = await createTestGate();
    await t.createSession();
    const store = overStore(t.store, {
      claim: { delivery: async () => [] },
      nextDue: (mode) => ((looks += 1), t.store.nextDue(mode)),
    });
    const scheduler: Scheduler = { ...stillScheduler(), wake: (more) => void hints.push(...more) };
    const crowded = t.restart({ store, scheduler });
    await crowded.gate.start();
    await turns(200);
    expect(looks).toBeLessThan(10);
    expect(hints.some(({ delayMs }) => delayMs > 0 && delayMs <= 1_000)).toBe(true);
    await crowded.gate.stop();
  });

  it('follows a purchase to its end: settlement, retries and webhooks on time', async () => {
    const { t, timers } = await running((scheduler) => scheduler);
    let refusals = 2;
    t.receiver.answerWith(() => ({
      responseStatus: (refusals -= 1) >= 0 ? 500 : 200,
      responseBody: null,
      error: null,
    }));
    const session = await t.createSession();
    await t.settle(session.id);
    await elapse(t, timers, 2 * 60_000);
    const accepted = t.receiver.received.filter((webhook) => webhook.answer.responseStatus === 200);
    expect(accepted.map((webhook) => webhook.type).toSorted()).toEqual([
      'gate_session.completed',
      'gate_session.created',
      'gate_session.processing',
    ]);
    await t.gate.stop();
  });

  it('whose hints are lost, repeated and reordered still delivers everything by its sweeps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 0, max: 9 })), async (dice) => {
        const { t, timers } = await running((scheduler) => chaotic(scheduler, () => Number(dice.next().value)));
        let n = 0;
        // Every fourth webhook fails, which adds retries.
        t.receiver.answerWith(() => ({
          responseStatus: (n += 1) % 4 === 0 ? 500 : 200,
          responseBody: null,
          error: null,
        }));
        const ids: string[] = [];
        for (let made = 0; made < 6; made += 1) ids.push((await t.createSession()).id);
        for (const id of ids) await t.settle(id);
        await elapse(t, timers, 10 * 60_000);
        const accepted = new Set(
          t.receiver.received.filter((one) => one.answer.responseStatus === 200).map((one) => one.id),
        );
        expect(accepted.size).toBe(18);
        await t.gate.stop();
      }),
      { numRuns: runs(4, 40) },
    );
  });
});

describe('gate.runDue', () => {
  it('also runs work that its own work has made due, however long its claims take', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    await shop.begin();
    await t.gate.runDue();
    await t.clock.advanceTo(t.clock.now('test') + 10_000);
    const slow = t.restart({ store: { ...t.store, nextDue: async (mode) => (await turn(), t.store.nextDue(mode)) } });
    await slow.gate.runDue();
    expect(t.receiver.received.map((webhook) => webhook.type)).toContain('gate_session.completed');
  });

  it('does nothing while a test clock is advanced, even if another advance waits for its turn', async () => {
    const t = await createTestGate();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let calls = 0;
    t.receiver.answerWith(async () => ((calls += 1), await held, ACCEPTED));
    await t.createSession();
    const stepping = t.clock.advance('1s');
    await until(() => calls === 1);
    const another = t.clock.advance('1s');
    await t.createSession();
    t.receiver.answerWith(() => ACCEPTED);
    await t.gate.runDue();
    expect(t.receiver.received).toHaveLength(0);
    answer();
    await Promise.all([stepping, another]);
    await t.gate.runDue();
    expect(t.receiver.received).toHaveLength(2);
  });
});

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await turn();
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function running(
  made: (inner: Scheduler) => Scheduler,
  policy: Partial<Policy> = {},
): Promise<{ readonly t: TestGate; readonly timers: VirtualTimers }> {
  const timers = virtualTimers();
  const t = await createTestGate({ policy, ports: { scheduler: made(inProcessScheduler({ timers })) } });
  await t.gate.start();
  return { t, timers };
}

/** Advances the gate's clock and the scheduler's timers together. */
async function elapse(t: TestGate, timers: VirtualTimers, ms: number): Promise<void> {
  const step = Math.max(10, Math.min(1_000, ms));
  for (let passed = 0; passed < ms; passed += step) {
    await t.clock.advanceTo(t.clock.now('test') + step);
    await timers.elapse(step);
  }
}

/** Drops, repeats or delays three of ten hints. */
function chaotic(inner: Scheduler, die: () => number): Scheduler {
  const late: WakeHint[] = [];
  return {
    ...bound(inner),
    wake: (hints) => {
      for (const hint of hints) {
        const fate = die();
        if (fate === 0) continue;
        if (fate === 1) late.push(hint);
        else inner.wake(fate === 2 ? [hint, hint] : [hint, ...late.splice(0)]);
      }
    },
  };
}

function bound(inner: Scheduler): Pick<Scheduler, 'start' | 'close'> {
  return { start: (onDue) => inner.start(onDue), close: (graceMs) => inner.close(graceMs) };
}
