import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { keptOf } from '../src/web/app/saved-form.js';
import type { AppEffect } from '../src/web/app/effect.js';
import type { AppEvent } from '../src/web/app/reduce.js';
import type { Flow, Intent } from '../src/web/wire/types.js';
import { FLOWS } from '../src/web/app/terms-of.js';
import {
  ACCOUNT,
  anIntent,
  aSession,
  AT,
  CARD,
  DECLINED,
  DEPOSIT,
  FIRST,
  OPENED,
  play,
  refusedBy,
  someQuotes,
  TRANSFER,
  WALLET,
  type Checkout,
} from './support/checkout.js';

const NEXT_ACTIONS = [
  null,
  { type: 'kyc', level: 'basic', fields: [] },
  { type: 'payment_authentication', challenge: 'otp', destination: '••42' },
  DEPOSIT,
  TRANSFER,
] as const;

const intent = fc
  .record({
    flow: fc.constantFrom(...FLOWS),
    status: fc.constantFrom('created', 'requires_action', 'processing', 'succeeded', 'failed', 'cancelled' as const),
    next_action: fc.constantFrom(...NEXT_ACTIONS),
    failure: fc.constantFrom(null, DECLINED),
  })
  .map(anIntent);

const refusal = fc
  .constantFrom(
    'unreachable',
    'quote_expired',
    'amount_mismatch',
    'intent_in_progress',
    'intent_not_confirmable',
    'session_not_open',
    'expired_embed_token',
    'validation_failed',
  )
  .map((code) => refusedBy(code, code === 'validation_failed' ? ['payment_details.cvc'] : []));

const intentAnswer = fc.oneof(
  intent.map((value) => ({ ok: true, value }) as const),
  refusal,
);

const session = fc
  .record({
    status: fc.constantFrom('open', 'open', 'open', 'completed', 'expired' as const),
    flow: fc.constantFrom(null, ...FLOWS),
    wallet_address: fc.constantFrom(null, WALLET),
    intent_id: fc.constantFrom(null, 'i1'),
  })
  .map(aSession);

/** Any event of the buyer, the service, the embedding page or a timer. */
const event: fc.Arbitrary<AppEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<AppEvent>({ type: 'submitted', at: AT }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<AppEvent>(
      ...Object.entries({ ...CARD, ...ACCOUNT, wallet: WALLET, refund: WALLET, code: '000000', first_name: 'Ada' }).map(
        ([field, value]): AppEvent => ({ type: 'typed', field, value }),
      ),
    ),
  },
  fc.constantFrom<AppEvent>(
    { type: 'went_back' },
    { type: 'retried' },
    { type: 'cancelled' },
    { type: 'closed' },
    { type: 'elapsed', timer: 'poll' },
    { type: 'went_online' },
    { type: 'elapsed', timer: 'quotes' },
    { type: 'elapsed', timer: 'deposit' },
    { type: 'clock_seen', leadMs: 60_000 },
    {
      type: 'recalled',
      kept: { step: 'payment', flow: 'swap', method: null, source: null, target: null, wallet: WALLET, refund: WALLET },
    },
    { type: 'themed', theme: 'dark' },
    { type: 'configured', config: { amount: '1.00', currency: 'USD' } },
    { type: 'left_field', field: 'cvc' },
    { type: 'typed', field: 'amount', value: '7.00' },
    { type: 'elapsed', timer: 'typing' },
    { type: 'chose', of: 'currency', value: 'USD' },
    { type: 'chose', of: 'target', value: 'ETH/ethereum' },
  ),
  fc.constantFrom(...FLOWS).map((flow): AppEvent => ({ type: 'chose_flow', flow })),
  fc.constantFrom('card', 'bank_transfer', 'crypto').map((method): AppEvent => ({ type: 'chose_method', method })),
  {
    weight: 3,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(...FLOWS)).map(([ask, flow]): AppEvent => ({
      type: 'quotes_answered',
      ask,
      at: AT,
      answer: { ok: true, value: someQuotes({ flow, amount: '100.00', currency: 'EUR' }) },
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('create', 'read', 'confirm', 'cancel'), intentAnswer)
      .map(([call, answer]): AppEvent => ({ type: 'intent_answered', call, answer })),
  },
  fc
    .oneof(
      session.map((value) => ({ ok: true, value }) as const),
      refusal,
    )
    .map((answer): AppEvent => ({ type: 'session_answered', answer })),
);

/** The events of a successful purchase. Histories take a prefix of it, followed by arbitrary events. */
function goingWell(flow: Flow): readonly AppEvent[] {
  const typed = ([field, value]: [string, string]): AppEvent => ({ type: 'typed', field, value });
  const submitted: AppEvent = { type: 'submitted', at: AT };
  const answered = (call: 'create' | 'read', value: Intent): AppEvent => ({
    type: 'intent_answered',
    call,
    answer: { ok: true, value },
  });
  return [
    { type: 'opened', opened: OPENED },
    { type: 'session_answered', answer: { ok: true, value: aSession({ flow }) } },
    {
      type: 'quotes_answered',
      ask: 1,
      at: AT,
      answer: { ok: true, value: someQuotes({ flow, amount: '100.00', currency: 'EUR' }) },
    },
    submitted,
    ...Object.entries({ wallet: WALLET, refund: WALLET }).map(typed),
    submitted,
    ...Object.entries({ ...CARD, ...ACCOUNT }).map(typed),
    submitted,
    answered('create', anIntent({ flow, status: 'processing' })),
    { type: 'elapsed', timer: 'poll' },
    answered('read', anIntent({ flow, status: 'succeeded' })),
  ];
}

const history = fc
  .tuple(fc.constantFrom(...FLOWS), fc.nat(18), fc.array(event, { maxLength: 40 }))
  .map(([flow, length, events]): readonly AppEvent[] => [...goingWell(flow).slice(0, Math.max(2, length)), ...events]);

/** The checkout after each event of a history, with that event. */
function steps(events: readonly AppEvent[]): readonly (Checkout & { readonly event: AppEvent })[] {
  let checkout: Checkout = { app: FIRST, effects: [], done: [] };
  return events.map((one) => {
    checkout = play(checkout, one);
    return { ...checkout, event: one };
  });
}

const isCreate = (effect: AppEffect): boolean => effect.do === 'create_intent';

const DETAILS = [CARD.card_number, ACCOUNT.iban].flatMap((text) => [text, text.replaceAll(' ', '')]);

describe('for any sequence of events', () => {
  test.prop([history])('requests contain only the terms that the session fixed', (events) => {
    for (const { effects } of steps(events))
      for (const effect of effects)
        if (effect.do === 'create_intent' || effect.do === 'ask_quotes')
          expect(effect.body).toMatchObject({ amount: '100.00', currency: 'EUR' });
  });

  test.prop([history])('no attempt is created while another is being sent or in progress', (events) => {
    let isOnItsWay = false;
    for (const { effects, event: happened, app } of steps(events)) {
      if (happened.type === 'intent_answered' && happened.call === 'create') isOnItsWay = false;
      if (happened.type === 'session_answered' || app.screen.at !== 'payment') isOnItsWay = false;
      if (effects.some(isCreate)) {
        expect(isOnItsWay).toBe(false);
        expect(app.screen).toMatchObject({ at: 'payment', form: { isSending: true } });
        isOnItsWay = true;
      }
    }
  });

  test.prop([history])('card and account details are discarded when the payment step is left', (events) => {
    for (const { app, effects } of steps(events)) {
      const isAsked = app.screen.at === 'payment';
      const kept = JSON.stringify(isAsked ? { ...app, screen: null } : app);
      const done = JSON.stringify(effects.filter((effect) => !isCreate(effect)));
      for (const text of [...DETAILS, ACCOUNT.account_holder]) {
        expect(kept).not.toContain(text);
        expect(done).not.toContain(text);
        expect(JSON.stringify(keptOf(app))).not.toContain(text);
      }
    }
  });

  test.prop([history])('success is posted exactly once for each time it is shown', (events) => {
    let before = '';
    for (const { app, effects } of steps(events)) {
      const posted = effects.filter((effect) => effect.do === 'post' && effect.message.type === 'PAYMENT_SUCCESS');
      expect(posted).toHaveLength(app.screen.at === 'success' && before !== 'success' ? 1 : 0);
      before = app.screen.at;
    }
  });

  test.prop([history])('a final screen never changes and sends no requests', (events) => {
    let over: string | null = null;
    for (const { app, effects } of steps(events)) {
      if (over !== null) {
        expect(app.screen.at).toBe(over);
        expect(effects.filter((effect) => effect.do !== 'post' && effect.do !== 'leave')).toEqual([]);
      }
      if (['success', 'ended', 'unavailable', 'broken'].includes(app.screen.at)) over = app.screen.at;
    }
  });

  test.prop([history])('entering a screen that waits for an intent schedules a poll', (events) => {
    let before = '';
    for (const { app, effects } of steps(events)) {
      const waits = ['progress', 'deposit', 'transfer'].includes(app.screen.at);
      if (waits && app.screen.at !== before) expect(effects).toContainEqual(expect.objectContaining({ timer: 'poll' }));
      before = app.screen.at;
    }
  });
});
