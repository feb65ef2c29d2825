import { describe, expect, it } from 'vitest';
import type { AppEvent } from '../../src/web/app/reduce.js';
import type { Payment } from '../../src/web/app/screen.js';
import { chosenCard } from '../../src/web/screens/payment/saved-cards-state.js';
import type { Intent, SavedMethod } from '../../src/web/wire/types.js';
import {
  aCard,
  anIntent,
  answerQuotes,
  AT,
  atPayment,
  CAPABILITIES,
  type Checkout,
  DECLINED,
  play,
  refusedBy,
  someQuotes,
  submitted,
  typed,
} from '../support/checkout.js';

const SAVABLE = { capabilities: { ...CAPABILITIES, savable_payment_methods: ['card'] } } as const;

const listed = (...data: readonly SavedMethod[]) =>
  ({ type: 'saved_answered', answer: { ok: true, value: { data } } }) as const;

/** The payment step with an empty form and these saved cards. */
function withCards(...cards: readonly SavedMethod[]): Checkout {
  const empty = typed({ card_number: '', expiry: '', cvc: '' });
  const { app } = play(atPayment('on_ramp', SAVABLE), ...empty);
  const payment = paymentOf({ app });
  const known = play({ ...app, screen: { ...payment, draft: { ...payment.draft, card: null } } }, listed(...cards));
  return paymentOf(known).draft.isAsking ? answerQuotes(known) : known;
}

/** Chooses a card and answers the request for its price. */
const choose = (checkout: Checkout, card: string): Checkout =>
  answerQuotes(play(checkout, { type: 'chose_card', card }));

function paymentOf({ app: { screen } }: Pick<Checkout, 'app'>): Payment {
  if (screen.at !== 'payment') throw new Error(`The checkout is at ${screen.at}.`);
  return screen;
}

const detailsOf = ({ effects }: Checkout) =>
  effects.map((effect) => (effect.do === 'create_intent' ? effect.body.payment_details : effect.do));

describe('saved cards', () => {
  it('are requested once, with the session, and only if the buyer can save cards', () => {
    const asked = (checkout: Checkout) => checkout.done.filter((effect) => effect.do === 'list_saved').length;
    expect(asked(atPayment('on_ramp'))).toBe(0);
    expect(asked(play(atPayment('on_ramp', SAVABLE), { type: 'looked_again' }))).toBe(1);
  });

  it('pay with one click: the newest valid card is preselected', () => {
    const checkout = withCards(aCard('old', { expired: true }), aCard('newest'), aCard('other'));
    expect(detailsOf(play(checkout, submitted))).toEqual([{ saved_method: 'newest' }]);
    expect(detailsOf(play(choose(checkout, 'other'), submitted))).toEqual([{ saved_method: 'other' }]);
  });

  it('are charged at the price of their provider, requested with each choice', () => {
    const checkout = withCards(aCard('newest'), aCard('other'));
    const asked = (card: string): unknown =>
      play(checkout, { type: 'chose_card', card }).effects.map((effect) =>
        effect.do === 'ask_quotes' ? effect.body.saved_method : effect.do,
      );
    expect([asked('newest'), asked('other'), asked('another')]).toEqual([[], ['other'], [null]]);
    const waiting = play(checkout, { type: 'chose_card', card: 'other' }, submitted);
    expect(detailsOf(waiting)).toEqual([]);
    expect(detailsOf(play(answerQuotes(waiting), submitted))).toEqual([{ saved_method: 'other' }]);
  });

  it('are skipped if their provider cannot charge the order, and not offered again', () => {
    const refuse = (checkout: Checkout): Checkout => {
      const ask = checkout.done.findLast((effect) => effect.do === 'ask_quotes');
      if (ask === undefined) throw new Error('No prices were asked for.');
      const value = someQuotes({ ...ask.body, saved_method: null });
      return play(checkout, { type: 'quotes_answered', ask: ask.ask, at: AT, answer: { ok: true, value } });
    };
    const next = refuse(play(withCards(aCard('newest'), aCard('other')), { type: 'chose_card', card: 'other' }));
    expect(next.effects).toContainEqual(
      expect.objectContaining({ do: 'ask_quotes', body: expect.objectContaining({ saved_method: 'newest' }) }),
    );
    const last = refuse(next);
    expect(paymentOf(last).draft).toMatchObject({ unpayable: ['other', 'newest'], isAsking: true, pricedFor: null });
    const form = play(refuse(last), submitted);
    expect(paymentOf(form).form.errors).toHaveProperty('card_number', 'required');
  });

  it('do not replace the form for a new card, if all have expired, or while a number is typed', () => {
    const another = play(choose(withCards(aCard('one')), 'another'), submitted);
    expect(paymentOf(another).form.errors).toHaveProperty('card_number', 'required');
    const expired = play(withCards(aCard('one', { expired: true })), submitted);
    expect(paymentOf(expired).form.errors).toHaveProperty('card_number', 'required');
    const late = play(atPayment('on_ramp', SAVABLE), listed(aCard('one')), submitted);
    expect(detailsOf(late)).toEqual([{ card_number: '4242424242424242', expiry: '12/34', cvc: '123' }]);
  });

  it('require and send the security code if the provider asks for it', () => {
    const checkout = play(withCards(aCard('one', { cvc_required: true })), submitted);
    expect(paymentOf(checkout).form.errors).toEqual({ cvc: 'required' });
    expect(detailsOf(play(checkout, ...typed({ cvc: '123' }), submitted))).toEqual([
      { saved_method: 'one', cvc: '123' },
    ]);
  });

  it('are saved only with consent, which is asked for with each attempt', () => {
    const consent = { type: 'chose_to_save', isSaving: true } as const;
    const sent = play(atPayment('on_ramp', SAVABLE), consent, submitted);
    expect(detailsOf(sent)).toEqual([expect.objectContaining({ save: true })]);
    expect(detailsOf(play(atPayment('on_ramp', SAVABLE), submitted))[0]).not.toHaveProperty('save');
    // Nothing is saved if the buyer cannot save cards.
    expect(detailsOf(play(atPayment('on_ramp'), consent, submitted))[0]).not.toHaveProperty('save');
    const failed = anIntent({ status: 'failed', failure: DECLINED });
    const tracked = play(
      sent,
      { type: 'intent_answered', call: 'create', answer: { ok: true, value: anIntent() } },
      { type: 'intent_answered', call: 'read', answer: { ok: true, value: failed } },
    );
    expect(paymentOf(tracked).isSaving).toBe(false);
  });

  it('are removed after confirmation, and stay if that fails', () => {
    const asked = play(withCards(aCard('one'), aCard('two')), { type: 'remove_asked', id: 'one' });
    expect(asked.effects).toEqual([]);
    expect(play(asked, { type: 'remove_withdrawn' }, { type: 'remove_confirmed' }).effects).toEqual([]);
    const sent = play(asked, { type: 'remove_confirmed' });
    expect(sent.effects).toEqual([{ do: 'remove_saved', id: 'one' }]);
    expect(play(sent, { type: 'remove_confirmed' }).effects).toEqual([]);
    const gone = { ok: true, value: null } as const;
    for (const answer of [gone, refusedBy('payment_method_not_found')]) {
      const removed = play(sent, { type: 'saved_removed', id: 'one', answer });
      expect(removed.app.terms?.saved.map(({ id }) => id)).toEqual(['two']);
      expect(paymentOf(removed)).toMatchObject({ removing: null, form: { refusal: null } });
    }
    const failed = play(sent, { type: 'saved_removed', id: 'one', answer: refusedBy('unreachable') });
    expect(failed.app.terms?.saved).toHaveLength(2);
    expect(paymentOf(failed)).toMatchObject({ removing: null, form: { refusal: { code: 'unreachable' } } });
  });

  it('stay chosen after a decline until the buyer chooses another', () => {
    const sent = play(choose(withCards(aCard('newest'), aCard('other')), 'other'), submitted);
    const failed = anIntent({ status: 'failed', failure: DECLINED });
    const answered = (call: 'create' | 'read', value: Intent): AppEvent => ({
      type: 'intent_answered',
      call,
      answer: { ok: true, value },
    });
    for (const declined of [
      play(sent, answered('create', failed)),
      play(sent, answered('create', anIntent()), answered('read', failed)),
    ]) {
      const { terms } = declined.app;
      expect(terms === null ? null : chosenCard(terms, paymentOf(declined))?.id).toBe('other');
      expect(paymentOf(declined).form.errors).toEqual({ card_number: 'card_declined' });
      const next = play(declined, { type: 'chose_card', card: 'newest' });
      expect(paymentOf(next).form.errors).toEqual({});
    }
  });

  it('are listed again if the chosen one was removed elsewhere', () => {
    const answer = refusedBy('payment_method_not_found');
    const refused = play(withCards(aCard('one')), submitted, { type: 'intent_answered', call: 'create', answer });
    expect(refused.effects).toEqual([{ do: 'list_saved' }]);
    expect(paymentOf(play(refused, listed())).form).toMatchObject({ refusal: { code: 'payment_method_not_found' } });
    expect(paymentOf(play(answerQuotes(play(refused, listed())), submitted)).form.errors).toHaveProperty(
      'card_number',
      'required',
    );
  });

  it('are an empty list if listing fails', () => {
    const { app } = withCards();
    expect(play(app, { type: 'saved_answered', answer: refusedBy('unreachable') }).app.terms?.saved).toEqual([]);
  });
});
