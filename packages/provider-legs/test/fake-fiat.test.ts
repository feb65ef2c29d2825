import { describe, it } from 'vitest';
import { describeLaws, fiatLegLaws } from '@gateramp/conformance';
import { FAKE_CARDS, FAKE_CODE, fakeFiat, memoryLegsStore } from '@gateramp/provider-legs';
import { START } from './world.js';

const card = (cardNumber: string) => ({ cardNumber, expiry: '12/30', cvc: '123' });

describeLaws(
  fiatLegLaws,
  {
    create: async () => ({
      leg: fakeFiat({ store: memoryLegsStore() }),
      mode: 'test',
      now: () => START,
      currency: 'EUR',
      id: 'op1',
      cards: {
        succeeds: card(FAKE_CARDS.succeeds),
        declines: card(FAKE_CARDS.declines),
        insufficientFunds: card(FAKE_CARDS.insufficientFunds),
        needsAction: card(FAKE_CARDS.needsAuthentication),
      },
      act: async () => ({ action: 'payment_authentication', code: FAKE_CODE }),
      bank: null,
      taken: null,
      close: async () => {},
    }),
  },
  { describe, it },
);
