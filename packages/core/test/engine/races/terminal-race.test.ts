import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { createTestGate } from '@gateramp/testing';
import type { Store } from '@gateramp/core/ports';
import { CARDS, checkout, scopeOf, story, type Checkout } from '../checkout.js';
import { runs } from '../../../../../tests/depth.js';

const TERMINAL = ['completed', 'cancelled', 'expired'];

describe('a session ends once', () => {
  it('with any number of readers at its expiry: exactly one gate_session.expired', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    await t.clock.advanceTo((await shop.session()).expiresAt + 1);
    const list = () => t.request('GET', '/v1/gate_sessions?status=expired', { key: t.keys.secret.test });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 4 === 0 ? list() : shop.retrieve())));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(await story(shop)).toEqual(['created', 'expired']);
  });

  it('and is still open at the instant of expires_at', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    await t.clock.advanceTo((await shop.session()).expiresAt);
    expect((await shop.retrieve()).json['status']).toBe('open');
    await t.clock.advanceTo((await shop.session()).expiresAt + 1);
    expect((await shop.retrieve()).json['status']).toBe('expired');
  });

  it('for every interleaving of the store calls of a cancel, a read and a settlement, overdue or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, overdue) => {
        const t = await createTestGate();
        const shop = await checkout(t);
        const intent = await shop.begin(CARDS.asksForACode);
        const intentId = String(intent.json['id']);
        if (overdue) await t.clock.advanceTo((await shop.session()).expiresAt + 1);
        const shuffled = t.restart({ store: scheduled(t.store, scheduler) });
        const { operationId } = await shop.intent(intentId);
        const report = { eventId: 'evt-1', operationId, outcome: { kind: 'succeeded' as const }, details: NO_DETAILS };
        const all = Promise.all([
          shuffled.request('POST', `/v1/gate_sessions/${shop.id}/cancel`, { key: t.keys.secret.test }),
          shuffled.request('GET', `/v1/gate_sessions/${shop.id}`, { key: t.keys.secret.test }),
          reportUntilHeard(() => shuffled.gate.intents.report('test', 'sandbox', report)),
        ]);
        await scheduler.waitFor(all);
        await expectEndedOnce(shop, intentId);
        const { status } = await shop.session();
        const transaction = await t.store.find('transaction', scopeOf(t), (await shop.intent(intentId)).txRefid);
        expect(transaction).toMatchObject({ status: 'completed', settledAfterClose: status !== 'completed' });
        expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(
          status === 'completed' ? [] : ['settled_after_close'],
        );
      }),
      { numRuns: runs(10, 100) },
    );
  });
});

const NO_DETAILS = { source: null, destination: null, exchangeRate: null, fees: null, feeTotal: null, txHash: null };

async function expectEndedOnce(shop: Checkout, intentId: string): Promise<void> {
  const events = await shop.events();
  const types = await story(shop);
  expect(types.filter((type) => TERMINAL.includes(type))).toEqual([(await shop.session()).status]);
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
  expect(['succeeded', 'cancelled']).toContain((await shop.intent(intentId)).status);
}

/** A provider repeats a report that was not accepted. */
async function reportUntilHeard(report: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await report();
      return;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'TryAgain') throw error;
    }
  }
}

/** A store whose calls each wait for their turn. */
function scheduled(store: Store, scheduler: fc.Scheduler): Store {
  return new Proxy(store, {
    get: (target, member, receiver) => {
      const value: unknown = Reflect.get(target, member, receiver);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        await scheduler.schedule(Promise.resolve(), String(member));
        // All methods of a store return promises.
        return Reflect.apply(value, target, given) as Promise<unknown>;
      };
    },
  });
}
