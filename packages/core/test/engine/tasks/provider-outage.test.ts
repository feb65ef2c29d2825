import { CLAIMS_MAX, TASK_LEASE } from '../../../src/domain/task.js';
import { MINUTE, SECOND } from '@gateramp/core/domain';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { OperationOrder } from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';
import { createTestGate } from '@gateramp/testing';
import { checkout, story } from '../checkout.js';
import { until } from '../until.js';

describe('a provider that cannot be reached', () => {
  it('is called again after 5 s, 15 s, 1 m, 5 m and then every 15 m, and the purchase completes when it is back', async () => {
    const asked: number[] = [];
    const outage = { until: Infinity };
    const t = await createTestGate();
    const sandbox = sandboxProvider({ ledger: t.ledger });
    const flaky = t.restart({
      providers: [
        {
          ...sandbox,
          lookup: async (order: OperationOrder) => {
            asked.push(order.now);
            if (order.now < outage.until) throw new Error('The provider is away.');
            return sandbox.lookup(order);
          },
        },
      ],
    });
    const shop = (await checkout(t)).on(flaky);
    await shop.begin();
    await flaky.clock.advance('50m');
    const gaps = asked.slice(1).map((at, n) => at - (asked[n] ?? 0));
    expect(gaps.slice(0, 6)).toEqual([5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 15 * MINUTE]);
    // Far beyond CLAIMS_MAX runs: an outage parks no task.
    await flaky.clock.advance('9h');
    expect(asked.length).toBeGreaterThan(CLAIMS_MAX);
    expect(t.telemetry.alarms).toEqual([]);
    outage.until = 0;
    await flaky.clock.advance('15m');
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
  });
});

describe('work that was started and never ended', () => {
  it('is parked after twenty claims, with an alarm', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    await shop.begin();
    const sandbox = sandboxProvider({ ledger: t.ledger });
    let calls = 0;
    const deadly = { ...sandbox, lookup: () => ((calls += 1), new Promise<never>(() => undefined)) };
    await t.clock.advanceTo(t.clock.now('test') + 10 * SECOND);
    for (let death = 0; death < CLAIMS_MAX + 1; death += 1) {
      void t.restart({ providers: [deadly] }).gate.runDue();
      // The last claim finds that it was claimed too often, and calls no provider.
      await until(() => calls > death || t.telemetry.alarms.length > 0);
      await t.clock.advanceTo(t.clock.now('test') + TASK_LEASE);
    }
    expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(['task_parked']);
  });
});
