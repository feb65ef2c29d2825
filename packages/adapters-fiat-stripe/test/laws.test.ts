import { describe, expect, it } from 'vitest';
import { describeLaws, fiatLegLaws } from '@gateramp/conformance';
import { fromStripeAmount } from '../src/index.js';
import { act, bankOf, dashboardOf, IN_COMPONENT, paidBy, START, useFakeStripe, world } from './world.js';

const fake = useFakeStripe();
let trials = 0;

for (const [name, needsAction, returnUrl] of [
  ['by redirect', paidBy('needsAuthentication'), 'page'],
  ['by component', IN_COMPONENT, 'none'],
] as const)
  describe(`Stripe, 3-D Secure ${name}`, () => {
    describeLaws(
      fiatLegLaws,
      {
        create: async () => {
          trials += 1;
          return {
            leg: world(fake).leg,
            mode: 'test',
            now: () => START,
            currency: 'EUR',
            id: `op${trials}_${returnUrl}`,
            cards: {
              succeeds: paidBy('succeeds'),
              declines: paidBy('declines'),
              insufficientFunds: paidBy('insufficientFunds'),
              needsAction,
            },
            act: (action) => act(fake, action),
            bank: bankOf(fake),
            dashboard: dashboardOf(fake),
            taken: async (authorizationId) => {
              const charges = fake.chargesOf(authorizationId);
              expect(charges.length).toBeLessThanOrEqual(1);
              const units = charges.reduce((sum, one) => sum + one.amount_received - fake.books.refundedOf(one.id), 0);
              return fromStripeAmount(units, 'EUR');
            },
            close: async () => {},
          };
        },
      },
      { describe, it },
    );
  });
