import { describe, expect, it } from 'vitest';
import type { AppEvent } from '../../src/web/app/reduce.js';
import type { EmbedSession } from '../../src/web/wire/types.js';
import {
  ACCOUNT,
  aSession,
  AT,
  atOrder,
  atPayment,
  CARD,
  play,
  refusedBy,
  submitted,
  typed,
  WALLET,
} from '../support/checkout.js';

describe('the payment', () => {
  it('goes back to the wallet step, or to the order if the session fixes the address', () => {
    const back = { type: 'went_back' } as const;
    expect(play(atPayment('on_ramp'), back).app.screen.at).toBe('wallet');
    const bound = play(atOrder({ flow: 'on_ramp', wallet_address: WALLET }), submitted);
    expect(bound.app.screen.at).toBe('payment');
    expect(play(bound, back).app.screen.at).toBe('order');
  });

  it.each([
    ['on_ramp', { wallet_address: WALLET, refund_address: null, payout_details: null }],
    ['off_ramp', { wallet_address: null, refund_address: WALLET, payment_details: null }],
    ['swap', { wallet_address: WALLET, refund_address: WALLET, payment_details: null, payout_details: null }],
  ] as const)('sends only the fields that the flow uses: %s', (flow, body) => {
    const { effects } = play(atPayment(flow), submitted);
    expect(effects).toEqual([expect.objectContaining({ do: 'create_intent' })]);
    expect(effects[0]).toMatchObject({ body: { flow, amount: '100.00', currency: 'EUR', ...body } });
  });

  it('sends card and account in their wire format', () => {
    expect(play(atPayment('on_ramp'), submitted).effects[0]).toMatchObject({
      body: {
        quote_id: 'quote_card',
        payment_details: { card_number: '4242424242424242', expiry: '12/34', cvc: '123' },
      },
    });
    expect(play(atPayment('off_ramp'), submitted).effects[0]).toMatchObject({
      body: { payout_details: { type: 'iban', ...ACCOUNT, iban: 'DE89370400440532013000' } },
    });
  });

  it('asks for routing and account number for a payout in USD', () => {
    const payment = atPayment('off_ramp', { currency: 'USD' });
    expect(play(payment, submitted).effects[0]).toMatchObject({
      body: {
        currency: 'USD',
        payout_details: {
          type: 'ach',
          routing_number: '110000000',
          account_number: '000123456789',
          account_holder: 'Ada Lovelace',
        },
      },
    });
    const wrong = play(payment, ...typed({ routing_number: '110000001', account_number: '123' }), submitted);
    expect(wrong.effects).toEqual([]);
    expect(wrong.app.screen).toMatchObject({
      form: { errors: { routing_number: 'not_a_routing_number', account_number: 'not_an_account_number' } },
    });
    const empty = play(payment, ...typed({ routing_number: '', account_number: '', account_holder: '' }), submitted);
    expect(empty.app.screen).toMatchObject({
      form: { errors: { routing_number: 'required', account_number: 'required', account_holder: 'required' } },
    });
    const answer = refusedBy('validation_failed', ['payout_details.account_number']);
    expect(play(payment, submitted, { type: 'intent_answered', call: 'create', answer }).app.screen).toMatchObject({
      form: { errors: { account_number: 'refused' }, refusal: null, isSending: false },
    });
  });

  it('is sent once, however often it is submitted', () => {
    const { done } = play(atPayment('on_ramp'), submitted, submitted, submitted);
    expect(done.filter((effect) => effect.do === 'create_intent')).toHaveLength(1);
  });

  it('shows refused fields at the fields, and other refusals for the whole form', () => {
    const fields = refusedBy('validation_failed', ['payment_details.card_number']);
    const one = play(atPayment('on_ramp'), submitted, { type: 'intent_answered', call: 'create', answer: fields });
    expect(one.app.screen).toMatchObject({
      form: { errors: { card_number: 'refused' }, refusal: null, isSending: false },
    });
    const whole = play(atPayment('on_ramp'), submitted, {
      type: 'intent_answered',
      call: 'create',
      answer: refusedBy('amount_mismatch'),
    });
    expect(whole.app.screen).toMatchObject({ at: 'payment', form: { refusal: { code: 'amount_mismatch' } } });
  });

  it('requests a new price if the quote has expired, and keeps the input', () => {
    const { app, effects } = play(atPayment('on_ramp'), submitted, {
      type: 'intent_answered',
      call: 'create',
      answer: refusedBy('quote_expired'),
    });
    expect(app.screen).toMatchObject({
      at: 'payment',
      form: { values: { cvc: '123' }, refusal: { code: 'quote_expired' } },
    });
    expect(effects).toEqual([expect.objectContaining({ do: 'ask_quotes' })]);
    expect(play({ app, effects, done: [] }, submitted).effects).toEqual([]);
  });

  it.each(['intent_in_progress', 'session_not_open'])('reads the session to find its outcome: %s', (code) => {
    const { app, effects } = play(atPayment('on_ramp'), submitted, {
      type: 'intent_answered',
      call: 'create',
      answer: refusedBy(code),
    });
    expect([app.screen.at, effects]).toEqual(['opening', [{ do: 'read_session' }]]);
  });
});

describe('a payment whose response is lost', () => {
  const lost = () =>
    play(atPayment('on_ramp'), submitted, {
      type: 'intent_answered',
      call: 'create',
      answer: refusedBy('unreachable'),
    });
  const session = (given: Partial<EmbedSession> = {}): AppEvent => ({
    type: 'session_answered',
    answer: { ok: true, value: aSession(given) },
  });

  const again: AppEvent = { type: 'elapsed', timer: 'poll' };
  const fiveTimes = (given: Partial<EmbedSession> = {}): readonly AppEvent[] =>
    [1, 2, 3, 4].flatMap(() => [session(given), again]).concat(session(given));

  it('counts as never created only after the session has shown no attempt for 20 s', () => {
    const asked = play(lost(), ...fiveTimes().slice(0, -1));
    expect(asked.app.screen).toMatchObject({ isUnknown: true, form: { refusal: { code: 'payment_unknown' } } });
    expect(asked.done.filter((effect) => effect.do === 'wait' && effect.timer === 'poll')).toHaveLength(4);
    const late = play(asked, session({ intent_id: 'i1' }));
    expect([late.app.screen.at, late.effects]).toEqual(['opening', [{ do: 'read_session' }]]);
  });

  it('keeps the form and its values, and checks for an attempt', () => {
    const { app, effects } = lost();
    expect(app.screen).toMatchObject({
      at: 'payment',
      draft: { wallet: WALLET, method: 'card' },
      form: { values: CARD, refusal: { code: 'payment_unknown' }, isSending: false },
    });
    expect(effects).toEqual([{ do: 'read_session' }]);
  });

  it('reports that the buyer was not charged if there is none, and can be submitted again', () => {
    const known = play(lost(), ...fiveTimes());
    expect(known.app.screen).toMatchObject({
      at: 'payment',
      form: { values: CARD, refusal: { code: 'not_charged' } },
    });
    expect(play(known, submitted).effects).toContainEqual(expect.objectContaining({ do: 'create_intent' }));
  });

  it.each([{ intent_id: 'i1' }, { status: 'completed' as const }])(
    'continues with the attempt if there is one: %j',
    (given) => {
      const known = play(lost(), session(given));
      expect([known.app.screen.at, known.effects]).toEqual(['opening', [{ do: 'read_session' }]]);
    },
  );

  it('never submits again before the first outcome is known', () => {
    expect(play(lost(), submitted).effects).toEqual([]);
  });

  it('disables Back, which could lead to a second attempt', () => {
    const { app } = play(lost(), { type: 'went_back' });
    expect(app.screen).toMatchObject({ at: 'payment', isUnknown: true, form: { values: CARD } });
    expect(play(lost(), ...fiveTimes(), { type: 'went_back' }).app.screen.at).toBe('wallet');
  });

  it('checks again after 5 s and when the device is online, even without a price', () => {
    const still = play(lost(), { type: 'session_answered', answer: refusedBy('unreachable') });
    expect(still.effects).toEqual([{ do: 'wait', timer: 'poll', ms: 5000 }]);
    const lapsed = play(still, { type: 'elapsed', timer: 'quotes' });
    const priceless = play(lapsed, { type: 'quotes_answered', ask: 2, at: AT, answer: refusedBy('unreachable') });
    expect(priceless.app.screen.at).toBe('payment');
    for (const again of [{ type: 'elapsed', timer: 'poll' }, { type: 'went_online' }] as const)
      expect(play(priceless, again).effects).toEqual([{ do: 'read_session' }]);
    expect(play(priceless, ...fiveTimes()).effects).toEqual([expect.objectContaining({ do: 'ask_quotes' })]);
  });
});

describe('a price that cannot be refreshed while offline', () => {
  it('keeps the form, and is requested again', () => {
    const lapsed = play(atPayment('on_ramp'), { type: 'elapsed', timer: 'quotes' });
    const away = play(lapsed, { type: 'quotes_answered', ask: 2, at: AT, answer: refusedBy('unreachable') });
    expect(away.app.screen).toMatchObject({ at: 'payment', form: { values: CARD, refusal: { code: 'unreachable' } } });
    expect(away.effects).toEqual([{ do: 'wait', timer: 'poll', ms: 5000 }]);
    const back = play(away, { type: 'went_online' });
    expect(back.app.screen).toMatchObject({ at: 'payment', form: { values: CARD, refusal: null } });
    expect(back.effects).toEqual([expect.objectContaining({ do: 'ask_quotes' })]);
  });
});
