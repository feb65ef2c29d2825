import { expect } from 'vitest';
import type { PaymentDetails, StartOrder } from '@gateramp/core/ports';
import { decimal } from '@gateramp/core/domain';
import { fakeChain, fixedPrices, fixedSpread } from '@gateramp/provider-legs';
import type { Parts } from '../../provider-legs/test/mortal.js';
import { buy, fakeScreening, providerOf } from '../../provider-legs/test/world.js';
import type { FakeStripe } from './fake-stripe/fake-stripe.js';
import { START, world } from './world.js';

/** Provider legs with the Stripe leg, a chain with one block per second, and a clock. */
export function shop(fake: FakeStripe) {
  const { store, leg } = world(fake);
  const chain = fakeChain();
  const screening = fakeScreening();
  const exchange = fixedSpread({
    pairs: [{ asset: 'USDC', currency: 'EUR' }],
    sources: [fixedPrices({ 'USDC/EUR': '0.92' })],
    spreadBps: 50,
  });
  const parts: Parts = { store, chain, fiat: leg, screening, exchange };
  const alarms: string[] = [];
  const provider = providerOf(parts, (name) => alarms.push(name));
  const at = { now: START };
  return {
    parts,
    chain,
    screening,
    provider,
    alarms,
    at,
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        at.now += 1_000;
        await provider.work('test', at.now);
      }
    },
    lookup: () => provider.lookup({ operationId: 'op1', mode: 'test', now: at.now }),
    /** Delivers Stripe's webhooks, each of them twice and the newest first. */
    async deliver() {
      const events = fake.books.events.splice(0).toReversed();
      const readings = [];
      for (const event of [...events, ...events])
        readings.push(await provider.parseCallback({ ...fake.callback(event), modeNow: at.now }));
      return readings;
    },
  };
}

export const purchase = (paymentDetails: PaymentDetails): StartOrder => ({
  ...buy(START),
  paymentDetails,
  returnUrl: 'https://checkout.example/return',
});

/** The amount that Stripe has captured and not refunded, in EUR. */
export function taken(fake: FakeStripe): string {
  const charges = fake.chargesOf('op1-authorize');
  expect(charges.length).toBeLessThanOrEqual(1);
  const cents = charges.reduce((sum, one) => sum + one.amount_received - fake.books.refundedOf(one.id), 0);
  return decimal.normalise((cents / 100).toFixed(2));
}
