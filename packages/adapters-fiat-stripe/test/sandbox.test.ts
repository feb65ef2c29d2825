import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { describeLaws, fiatLegLaws } from '@gateramp/conformance';
import { memoryLegsStore } from '@gateramp/provider-legs';
import Stripe from 'stripe';
import { stripeFiat } from '../src/index.js';
import { CARDS_IN_EUR, paidBy, START } from './world.js';

const key = process.env['STRIPE_SECRET_KEY'] ?? '';

// Only `npm run test:stripe` runs this file: it needs the internet and a Stripe account.
if (!/^(sk|rk)_test_/.test(key))
  it('needs a key', () => {
    throw new Error('Set STRIPE_SECRET_KEY to a secret key of test mode (sk_test_…). Live keys are refused.');
  });
else
  describe('Stripe’s sandbox', () => {
    describeLaws(
      fiatLegLaws,
      {
        create: async () => ({
          leg: stripeFiat({
            stripe: new Stripe(key, { timeout: 20_000 }),
            publicKey: 'pk_test_not_used',
            webhookSecret: 'whsec_not_used',
            store: memoryLegsStore(),
            methods: [CARDS_IN_EUR],
          }),
          mode: 'test',
          now: () => START,
          currency: 'EUR',
          id: `op_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
          cards: {
            succeeds: paidBy('succeeds'),
            declines: paidBy('declines'),
            insufficientFunds: paidBy('insufficientFunds'),
            needsAction: paidBy('needsAuthentication'),
          },
          // No buyer can complete the issuer's page here.
          act: null,
          bank: null,
          taken: null,
          close: async () => {},
        }),
      },
      { describe, it },
    );
  });
