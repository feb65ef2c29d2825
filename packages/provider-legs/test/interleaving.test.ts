import { decimal } from '@gateramp/core/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FAKE_CARDS, FAKE_CODE, findOperation, resolveOperation, type LegsProvider } from '@gateramp/provider-legs';
import { runs } from '../../../tests/depth.js';
import {
  balance,
  buy,
  chargeBack,
  owedToCustomers,
  refundByHand,
  providerOf,
  returnRefund,
  winDispute,
  world,
  type World,
} from './world.js';

const ACTORS = [
  'start',
  'confirm',
  'cancel',
  'refund',
  'charge back',
  'charge back a part',
  'win the dispute',
  'return the refund',
  'refund a part by hand',
  'fail the refund by hand',
  'work',
  'work later',
] as const;

test('whatever order their calls interleave in, buyers, cancels, refunds here and by hand, chargebacks and workers move money once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom(...ACTORS), { minLength: 2, maxLength: 8 }),
      async (scheduler, acts) => {
        const w = world();
        const order = buy(w.now, {}, FAKE_CARDS.needsAuthentication);
        const processes = [paced(w, scheduler), paced(w, scheduler)] as const;
        await w.provider.start(order);
        const done = acts.map((act, index) =>
          play(act, processes[index % 2] ?? processes[0], order).catch(() => undefined),
        );
        await scheduler.waitFor(Promise.all(done));
        await w.pass(120);
        const waiting = await w.lookup();
        if (waiting?.outcome.kind === 'requires_action') await w.provider.cancel({ ...order, now: w.now });
        await w.pass(120);
        const left = await findOperation(w.store, 'op1');
        // The operation waits for an operator exactly when the buyer is owed something.
        expect(left?.owed.length === 0 ? 'ended' : 'stuck').toBe(left?.state.kind);
        await expectProcessorAgrees(w);
        await resolveOperation(w.store, { operationId: 'op1', as: 'refunded', reason: 'Paid.', now: w.now });
        const ended = (await w.lookup())?.outcome.kind;
        expect(['succeeded', 'failed', 'cancelled', 'refunded', 'charged_back']).toContain(ended);
        expect(await owedToCustomers(w)).toEqual([]);
        const isDelivered = (await w.store.entries('op1')).some(({ id }) => id === 'op1:out');
        expect([...w.chain.sends.keys()]).toEqual(isDelivered ? ['op1-send'] : []);
        await w.pass(120);
        expect([...w.chain.reservations.keys()]).toEqual([]);
      },
    ),
    { numRuns: runs(60, 600) },
  );
});

const PART = { amount: '40.00', disputeId: 'dispute2' };

const BY_HAND = { amount: '30.00', refundId: 're_1' };

/** Expects processor and ledger to agree. */
async function expectProcessorAgrees(w: World): Promise<void> {
  const captured = (await w.store.entries('op1')).some(({ id }) => id === 'op1:capture');
  const left = captured ? w.fiat.leftOf('100.00') : '0';
  expect(await balance(w, 'fiat', 'EUR')).toBe(decimal.normalise(left));
}

function play(act: (typeof ACTORS)[number], provider: LegsProvider, order: ReturnType<typeof buy>): Promise<unknown> {
  const { now } = order;
  switch (act) {
    case 'start':
      return provider.start(order);
    case 'confirm':
      return provider.confirm({ ...order, confirmation: { action: 'payment_authentication', code: FAKE_CODE } });
    case 'cancel':
      return provider.cancel(order);
    case 'refund':
      return provider.refund({ ...order, refundId: 'refund1', amount: '100.00', currency: 'EUR', reason: null });
    case 'charge back':
      return chargeBack(provider, now);
    case 'charge back a part':
      return chargeBack(provider, now, PART);
    case 'win the dispute':
      return winDispute(provider, now, PART);
    case 'return the refund':
      return returnRefund(provider, now, 'refund1');
    case 'refund a part by hand':
      return refundByHand(provider, now, BY_HAND);
    case 'fail the refund by hand':
      return refundByHand(provider, now, { ...BY_HAND, kind: 'outside_refund_failed' });
    case 'work':
      return provider.work('test', now + 1_000);
    case 'work later':
      // Past every lease, so that a second process takes over operations that the first one is still driving.
      return provider.work('test', now + 120_000);
  }
}

/** A process whose port calls each wait for their turn in the scheduler. */
function paced(w: World, scheduler: fc.Scheduler): LegsProvider {
  const pace = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, member, receiver) {
        const value: unknown = Reflect.get(target, member, receiver);
        if (typeof value !== 'function' || member === 'addressProblem') return value;
        return async (...args: readonly unknown[]) => {
          await scheduler.schedule(Promise.resolve());
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  const { store, chain, fiat, screening, exchange } = w;
  return providerOf(
    { store: pace(store), chain: pace(chain), fiat: pace(fiat), screening: pace(screening), exchange: pace(exchange) },
    () => {},
  );
}
