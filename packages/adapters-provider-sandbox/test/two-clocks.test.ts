import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { sandboxProvider } from '../src/index.js';
import { card, NOW, start } from './builders.js';

const OPERATION = { operationId: 'op_1', mode: 'test' } as const;

describe('an operation that processes with different clocks work on', () => {
  it.each(['processing', 'succeeded'] as const)('is not undone by a slower one after it was %s', async (outcome) => {
    const provider = sandboxProvider();
    await provider.start(start());
    await provider.control.settle('op_1', outcome, NOW + 20);
    const slower = { ...OPERATION, now: NOW - 20 };
    expect((await provider.lookup(slower))?.outcome.kind).toBe(outcome);
    expect((await provider.cancel(slower)).outcome.kind).toBe(outcome);
    await provider.control.settle('op_1', 'failed', NOW - 20);
    expect((await provider.lookup({ ...OPERATION, now: NOW + 60_000 }))?.outcome.kind).toBe(
      outcome === 'succeeded' ? 'succeeded' : 'failed',
    );
  });

  it('answers every call of each, in any order', async () => {
    const call = fc.record({
      name: fc.constantFrom('lookup', 'cancel', 'processing', 'succeeded', 'failed', 'refund', 'charged_back'),
      skew: fc.integer({ min: -500, max: 500 }),
      step: fc.integer({ min: 0, max: 8_000 }),
    });
    const kinds = fc.constantFrom('card', 'bank_transfer');
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(call, { maxLength: 12 }), async (paymentMethod, calls) => {
        const provider = sandboxProvider();
        const paymentDetails = paymentMethod === 'card' ? card() : null;
        await provider.start(start({ paymentMethod }, { paymentDetails }));
        let now = NOW;
        for (const { name, skew, step } of calls) {
          now += step;
          const order = { ...OPERATION, now: now + skew };
          switch (name) {
            case 'lookup':
              await provider.lookup(order);
              break;
            case 'cancel':
              await provider.cancel(order);
              break;
            case 'refund':
              await provider.refund({ ...order, refundId: `r${now}`, amount: '1.00', currency: 'EUR', reason: null });
              break;
            case 'charged_back':
              await provider.control.bank?.('op_1', 'charged_back', null, order.now);
              break;
            case 'processing':
            case 'succeeded':
            case 'failed':
              await provider.control.settle('op_1', name, order.now);
          }
        }
      }),
      { numRuns: runs(200, 5_000) },
    );
  });
});
