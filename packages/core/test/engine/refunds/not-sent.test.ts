import { sandboxProvider, SANDBOX_REFUNDS } from '@gateramp/adapters-provider-sandbox';
import type { NotSent, RefundAnswer, RefundingProvider, RefundOrder } from '@gateramp/core/ports';
import { createTestGate, testDeadlines, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { story } from '../checkout.js';
import { until } from '../until.js';
import { paid } from './paid.js';

const WHOLE = '100.00';

const REFUSED: NotSent = { kind: 'not_sent', retryable: true, reason: 'connection refused' };

/** A process on the same store whose provider handles refunds in this way. */
function refunding(
  t: TestGate,
  refund: (order: RefundOrder, provider: RefundingProvider) => Promise<RefundAnswer>,
  ports: Parameters<TestGate['restart']>[0] = {},
): TestGate {
  const provider = sandboxProvider({ ledger: t.ledger });
  return t.restart({ ...ports, providers: [{ ...provider, refund: (order) => refund(order, provider) }] });
}

describe('a refund that was not sent', () => {
  it('fails immediately as retryable, releases its amount, and another one returns it', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const answer = await order.on(refunding(t, async () => REFUSED)).refund({}, 'one');
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      status: 'completed',
      amount_refunded: null,
      refunds: [{ amount: WHOLE, status: 'failed', failure: { code: 'error', retryable: true } }],
    });
    expect((await order.refund({}, 'one')).text).toBe(answer.text);
    expect(t.telemetry.failures.map(({ error }) => String(error))).toEqual([
      'Error: The provider was not reached: connection refused',
    ]);
    expect((await order.refund()).json).toMatchObject({ status: 'refunded', amount_refunded: WHOLE });
    await t.clock.advance('1h');
    expect(await order.moved()).toEqual([WHOLE]);
    expect((await story(order.shop)).slice(3)).toEqual(['transaction.updated', 'transaction.updated']);
  });

  it('says whether another one may succeed; a refund that the provider declined cannot', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const closed = refunding(t, async () => ({ ...REFUSED, retryable: false }));
    expect((await order.on(closed).refund({ amount: '1.00' })).json['refunds']).toMatchObject([
      { failure: { code: 'error', retryable: false } },
    ]);
    expect((await order.refund({ amount: SANDBOX_REFUNDS.fails })).json['refunds']).toMatchObject([
      {},
      { failure: { code: 'refund_declined', retryable: false } },
    ]);
  });

  it("is the sandbox's response to a documented amount", async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const { json } = await order.refund({ amount: SANDBOX_REFUNDS.isNotSent });
    expect(json['refunds']).toMatchObject([{ status: 'failed', failure: { code: 'error', retryable: true } }]);
    expect(await order.moved()).toEqual([]);
  });

  it('after a call that may have arrived stays pending, and is made once', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    let calls = 0;
    const flaky = refunding(t, async (refund, provider) => {
      calls += 1;
      if (calls === 1) throw new Error('The connection broke.');
      return calls < 4 ? REFUSED : provider.refund(refund);
    });
    await order.on(flaky).refund();
    await flaky.clock.advance('30s');
    expect(calls).toBe(3);
    expect((await order.retrieve()).refunds).toMatchObject([{ status: 'pending' }]);
    await flaky.clock.advance('1h');
    expect(await order.retrieve()).toMatchObject({ status: 'refunded', refunds: [{ status: 'succeeded' }] });
    expect(await order.moved()).toEqual([WHOLE]);
  });

  it("and that a worker has taken over since ends with the worker's result", async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const deadlines = testDeadlines();
    let refuse: () => void = () => undefined;
    const refused = new Promise<NotSent>((resolve) => (refuse = () => resolve(REFUSED)));
    const slow = refunding(t, () => refused, { deadlines });
    const asked = order.on(slow).refund({}, 'one');
    await until(() => deadlines.waiting.length > 0);
    deadlines.expire();
    const answer = await asked;
    await t.clock.advance('1m');
    expect((await order.retrieve()).status).toBe('refunded');
    refuse();
    await t.clock.advance('1h');
    expect(await order.retrieve()).toMatchObject({ status: 'refunded', refunds: [{ status: 'succeeded' }] });
    expect((await order.refund({}, 'one')).text).toBe(answer.text);
    expect(await order.moved()).toEqual([WHOLE]);
  });

  it('concurrent with one that was sent, leaves the rest to be refunded', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const half = refunding(t, async (refund, provider) =>
      refund.amount === '40.00' ? REFUSED : provider.refund(refund),
    );
    const both = await Promise.all(['40.00', '60.00'].map((amount) => order.on(half).refund({ amount })));
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    const { refunds } = await order.retrieve();
    expect(refunds.map(({ amount, status }) => `${amount} ${status}`).sort()).toEqual([
      '40.00 failed',
      '60.00 succeeded',
    ]);
    expect((await order.refund()).json).toMatchObject({ status: 'refunded', amount_refunded: WHOLE });
    expect(await order.moved()).toEqual(['60.00', '40.00']);
  });
});

describe('a refund that is pending for a day raises an alarm, once', () => {
  it.each<[string, Partial<RefundingProvider>]>([
    [
      'because the provider says so',
      {
        refund: async () => ({ kind: 'pending', checkAfterMs: 7 * 60 * 60_000 }),
        lookupRefund: async () => ({ kind: 'pending', checkAfterMs: 7 * 60 * 60_000 }),
      },
    ],
    ['because the provider cannot be reached', { refund: failing, lookupRefund: failing }],
  ])('%s', async (_, trouble) => {
    const t = await createTestGate();
    const order = await paid(t);
    const provider = { ...sandboxProvider({ ledger: t.ledger }), ...trouble };
    const stuck = t.restart({ providers: [provider] });
    await order.on(stuck).refund();
    await stuck.clock.advance('23h');
    expect(t.telemetry.alarms).toEqual([]);
    await stuck.clock.advance('1h');
    const { intent_id: intentId } = await order.retrieve();
    expect(t.telemetry.alarms).toMatchObject([
      { name: 'refund_pending_too_long', fields: { partner_id: t.partner.id, mode: 'test', intent_id: intentId } },
    ]);
    await stuck.clock.advance('72h');
    expect(t.telemetry.alarms).toHaveLength(1);
    await t.restart().clock.advance('8h');
    expect(await order.retrieve()).toMatchObject({ status: 'refunded' });
  });
});

function failing(): Promise<never> {
  return Promise.reject(new Error('away'));
}
