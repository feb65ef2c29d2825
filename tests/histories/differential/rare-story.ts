import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import type { Ask, Command, History } from './command.js';

const ask = (to: Ask): Command => ({
  kind: 'ask',
  ask: to,
  by: 0,
  caller: 'owner',
  key: { kind: 'fresh' },
  twist: null,
});

const HOUR_MS = 3_600_000;

/** Commands that create a session and open its checkout. */
const openCheckout = (amount: string): readonly Command[] => [
  ask({
    to: 'create',
    body: {
      amount,
      currency: 'EUR',
      flow: 'on_ramp',
      target_token: 'USDC',
      target_network: 'base',
      user_reference: 'ada',
      return_url: 'https://shop.example/done',
    },
  }),
  ask({ to: 'bootstrap', session: 0, secret: 'right', origin: 'https://shop.example' }),
];

/**
 * Cases that random histories reach too rarely: documents that are uploaded and accepted, a card that is saved and removed, and a delivery
 * that is dead-lettered and replayed.
 */
export const RARE_STORY: History = {
  isLimited: false,
  quota: null,
  commands: [
    { kind: 'receiver', answering: 'refuses' },
    ...openCheckout('17.00'),
    ask({
      to: 'begin',
      token: 0,
      attempt: { flow: 'on_ramp', card: SANDBOX_CARDS.succeeds, saving: true, quote: null, changes: {} },
    }),
    ask({ to: 'document', intent: 0, side: 'front' }),
    ask({ to: 'document', intent: 0, side: 'back' }),
    ask({ to: 'document', intent: 0, side: 'selfie' }),
    ask({ to: 'confirm', intent: 0, answer: 'what it asks for' }),
    { kind: 'pass', ms: 120_000 },
    ask({ to: 'intent', intent: 0 }),
    ...openCheckout('100.00'),
    ask({ to: 'savedMethods', token: 0 }),
    ask({ to: 'removeMethod', method: 0 }),
    ask({ to: 'savedMethods', token: 0 }),
    { kind: 'pass', ms: 3 * HOUR_MS },
    ask({ to: 'deliveries', query: { filters: {}, cursor: null } }),
    ask({ to: 'replay', delivery: 0 }),
  ],
};
