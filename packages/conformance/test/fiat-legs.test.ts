import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FiatLeg } from '@gateramp/provider-legs';
import { FakeStripe } from '../../adapters-fiat-stripe/test/fake-stripe/fake-stripe.js';
import { bankOf, dashboardOf, IN_COMPONENT, paidBy, START, world } from '../../adapters-fiat-stripe/test/world.js';
import { fiatLegLaws, type FiatLegOnTrial } from '../src/index.js';

const fake = new FakeStripe();
beforeAll(() => fake.listen());
afterAll(() => fake.stop());

let trials = 0;

async function onTrial(change: (leg: FiatLeg) => Partial<FiatLeg>): Promise<FiatLegOnTrial> {
  const { leg } = world(fake);
  trials += 1;
  return {
    leg: { ...leg, ...change(leg) },
    mode: 'test',
    now: () => START,
    currency: 'EUR',
    id: `op${trials}`,
    cards: {
      succeeds: paidBy('succeeds'),
      declines: paidBy('declines'),
      insufficientFunds: paidBy('insufficientFunds'),
      needsAction: IN_COMPONENT,
    },
    act: null,
    bank: bankOf(fake),
    dashboard: dashboardOf(fake),
    taken: null,
    close: async () => {},
  };
}

const FAULTS: readonly (readonly [fault: string, change: (leg: FiatLeg) => Partial<FiatLeg>, title: string])[] = [
  [
    'no refund of the dashboard is seen',
    () => ({ movements: async () => [] }),
    'reports a refund that no call made, and its failure, by callback and when asked',
  ],
  [
    'a refund of the dashboard is only a change',
    (leg) => ({
      parseCallback: async (callback) => {
        const said = await leg.parseCallback(callback);
        return said.kind === 'refunded_outside'
          ? { kind: 'changed', eventId: said.eventId, callId: said.authorizationId }
          : said;
      },
    }),
    'reports a refund that no call made, and its failure, by callback and when asked',
  ],
  [
    'a partial capture counts as a whole one',
    (leg) => ({
      movements: async (order) =>
        (await leg.movements(order)).filter((one) => !('refundId' in one) || one.refundId !== 'uncaptured'),
    }),
    'reports what was authorized and not captured as refunded',
  ],
  [
    'disputes are only known from callbacks',
    (leg) => ({ movements: async (order) => (await leg.movements(order)).filter((one) => !('disputeId' in one)) }),
    'shows a dispute whose callback was lost when asked',
  ],
];

describe('the laws of fiat legs', () => {
  for (const [fault, change, title] of FAULTS)
    it(`catch that ${fault}`, async () => {
      const law = fiatLegLaws.find((one) => one.title.includes(title));
      if (law === undefined) throw new Error(`There is no law “${title}”.`);
      await law.run({ create: () => onTrial(() => ({})) });
      await expect(law.run({ create: () => onTrial(change) })).rejects.toThrow();
    });
});
