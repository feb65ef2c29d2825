import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/web/app/app.js';
import type { Payment } from '../../src/web/app/screen.js';
import type { OfferedComponent, Quotes, QuotesBody } from '../../src/web/wire/types.js';
import {
  aCard,
  answerQuotes,
  AT,
  atPayment,
  CAPABILITIES,
  type Checkout,
  play,
  refusedBy,
  someQuotes,
  submitted,
  typed,
} from '../support/checkout.js';

const WALLET: OfferedComponent = {
  payment_method: 'card',
  provider: 'sandbox',
  wallet: 'sandbox_pay',
  token: 'sandbox_pay',
  frame_url: 'https://provider.example/component',
};
const CARD_FIELDS: OfferedComponent = { ...WALLET, provider: 'stripe', wallet: null, token: 'card' };

const SAVED = aCard('saved');

/** The payment step with these components on offer and an empty form. */
function withComponents(...components: readonly OfferedComponent[]): Checkout {
  const session = { capabilities: { ...CAPABILITIES, components } };
  return play(atPayment('on_ramp', session), ...typed({ card_number: '', expiry: '', cvc: '' }));
}

const press = (component: OfferedComponent) => ({ type: 'chose_wallet', component }) as const;

function lastAsk({ done }: Checkout) {
  const asked = done.findLast((effect) => effect.do === 'ask_quotes');
  if (asked === undefined) throw new Error('No prices were asked for.');
  return asked;
}

/** Answers the last quotes request with changed quotes. */
function answerChanged(checkout: Checkout, change: (quotes: Quotes) => Quotes): Checkout {
  const asked = lastAsk(checkout);
  const answer = { ok: true, value: change(someQuotes(asked.body)) } as const;
  return play(checkout, { type: 'quotes_answered', ask: asked.ask, at: AT, answer });
}

const dearer = (quotes: Quotes): Quotes => ({
  ...quotes,
  quotes: quotes.quotes.map((quote) => ({ ...quote, source_total: '101.00' })),
});

const ofAnother = (quotes: Quotes): Quotes => ({
  ...quotes,
  quotes: quotes.quotes.map((quote) => ({ ...quote, provider: 'another' })),
});

const effectsOf = ({ effects }: Checkout) =>
  effects.map((effect) => {
    if (effect.do === 'create_intent') return effect.body.payment_details;
    return effect.do === 'ask_quotes' ? [effect.body.saved_method, effect.body.provider] : effect.do;
  });

const PAID_BY_WALLET = { provider: 'sandbox', token: 'sandbox_pay' };

function paymentOf({ screen }: App): Payment {
  if (screen.at !== 'payment') throw new Error(`The checkout is at ${screen.at}.`);
  return screen;
}

describe('a wallet button', () => {
  it('pays at once if the price is from its provider', () => {
    const priced = answerQuotes(play(withComponents(WALLET), press(WALLET)));
    expect(effectsOf(priced)).toContainEqual(PAID_BY_WALLET);
    const failed = { type: 'intent_answered', call: 'create', answer: refusedBy('rate_limit_exceeded') } as const;
    expect(effectsOf(play(priced, failed, press(WALLET)))).toEqual([PAID_BY_WALLET]);
  });

  it('otherwise requests its provider’s price, and pays if it equals the price shown', () => {
    const asked = play(withComponents(WALLET), press(WALLET));
    expect(effectsOf(asked)).toEqual([[null, 'sandbox']]);
    expect(effectsOf(play(asked, press(WALLET), submitted))).toEqual([]);
    expect(effectsOf(answerQuotes(asked))).toContainEqual(PAID_BY_WALLET);
  });

  it('shows a different price first, and pays it when pressed again', () => {
    const changed = answerChanged(play(withComponents(WALLET), press(WALLET)), dearer);
    expect(effectsOf(changed)).toEqual(['wait']);
    expect(paymentOf(changed.app).draft.isRenewed).toBe(true);
    expect(effectsOf(play(changed, press(WALLET)))).toEqual([PAID_BY_WALLET]);
  });

  it('is removed if its provider does not support the order', () => {
    const asked = play(withComponents(WALLET), press(WALLET));
    const away = answerChanged(asked, ofAnother);
    expect(effectsOf(away)).toEqual(['wait', [null, null]]);
    expect(paymentOf(away.app)).toMatchObject({
      draft: { unpayable: ['sandbox_pay'], isAsking: true },
      form: { refusal: { code: 'corridor_not_supported' } },
    });
  });

  it('requests the card’s price again if the buyer pays by card instead', () => {
    const changed = answerChanged(play(withComponents(WALLET), press(WALLET)), dearer);
    const card = { card_number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' };
    const asked = play(changed, ...typed(card), submitted);
    expect(effectsOf(asked)).toEqual([[null, null]]);
    // The card's price differs again, so it is shown before it is paid.
    const shown = answerQuotes(asked);
    expect(effectsOf(shown)).toEqual(['wait']);
    expect(effectsOf(play(shown, submitted))).toEqual([expect.objectContaining({ cvc: '123' })]);
  });

  it('does not pay automatically after the buyer has changed the form', () => {
    const asked = play(withComponents(WALLET), press(WALLET), ...typed({ card_number: '4' }));
    expect(effectsOf(answerQuotes(asked))).toEqual(['wait']);
  });

  it('requests no price once the buyer has gone back', () => {
    const changed = answerChanged(play(withComponents(WALLET), press(WALLET)), dearer);
    expect(effectsOf(play(changed, { type: 'went_back' }))).toEqual([[null, null]]);
  });
});

describe('a provider’s own card fields', () => {
  it('are priced by that provider from the start', () => {
    const checkout = withComponents(CARD_FIELDS);
    const asked = checkout.done.filter((effect) => effect.do === 'ask_quotes');
    expect(asked.map(({ body }) => body.provider)).toEqual(['stripe']);
    expect(effectsOf(play(checkout, submitted))).toEqual([{ provider: 'stripe', token: 'card' }]);
  });

  it('are replaced by the card form if that provider does not support the order', () => {
    const asked = play(withComponents(CARD_FIELDS), { type: 'elapsed', timer: 'quotes' });
    const away = answerChanged(asked, ofAnother);
    expect(paymentOf(play(away, submitted).app).form.errors).toHaveProperty('card_number', 'required');
  });

  it('are used for a new card, while a saved card of another provider can still pay', () => {
    const listed = { type: 'saved_answered', answer: { ok: true, value: { data: [SAVED] } } } as const;
    const { app, done } = withComponents(CARD_FIELDS);
    expect(done.some((effect) => effect.do === 'list_saved')).toBe(true);
    const payment = paymentOf(app);
    const asked = play({ ...app, screen: { ...payment, draft: { ...payment.draft, card: null } } }, listed);
    expect(effectsOf(asked)).toEqual([['saved', 'stripe']]);
    const saved = answerQuotes(asked);
    expect(effectsOf(play(saved, submitted))).toEqual([{ saved_method: 'saved' }]);
    const another = play(saved, { type: 'chose_card', card: 'another' });
    expect(effectsOf(another)).toEqual([[null, 'stripe']]);
    expect(effectsOf(play(answerQuotes(another), submitted))).toEqual([{ provider: 'stripe', token: 'card' }]);
  });
});

const OTHER_WALLET: OfferedComponent = { ...WALLET, provider: 'other', wallet: 'google_pay', token: 'google_pay' };

/**
 * The service's quotes while these providers are available: from the provider that must charge the chosen method, otherwise from the first.
 */
function servedBy(up: readonly string[]) {
  return (body: QuotesBody): Quotes => {
    const isSaved = body.saved_method !== null && up.includes('keeper');
    const wanted = isSaved ? 'keeper' : up.find((one) => one === body.provider);
    const id = wanted ?? up[0] ?? 'keeper';
    const { quotes, ...rest } = someQuotes(body);
    const named = { id, provider: id === 'keeper' ? null : id, saved_method: isSaved ? body.saved_method : null };
    return {
      ...rest,
      quotes: quotes.map((quote) => (quote.payment_method === 'card' ? { ...quote, ...named } : quote)),
    };
  };
}

const card = { card_number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' };
const deed = fc.oneof(
  { weight: 3, arbitrary: fc.constant('answer' as const) },
  fc.constantFrom(press(WALLET), press(OTHER_WALLET), submitted, submitted, { type: 'went_back' } as const),
  fc.constantFrom('saved', 'another').map((id) => ({ type: 'chose_card', card: id }) as const),
  fc.constantFrom(...typed(card), { type: 'elapsed', timer: 'quotes' } as const),
  fc.constant({ type: 'intent_answered', call: 'create', answer: refusedBy('rate_limit_exceeded') } as const),
);
const providers = fc.uniqueArray(fc.constantFrom('sandbox', 'other', 'stripe', 'keeper'), { minLength: 1 });

test.prop([fc.array(fc.tuple(deed, providers), { maxLength: 30 })])(
  'for any sequence of clicks, a component or saved card is sent only with a quote of its provider',
  (deeds) => {
    const listed = { type: 'saved_answered', answer: { ok: true, value: { data: [SAVED] } } } as const;
    let checkout = play(withComponents(WALLET, OTHER_WALLET, CARD_FIELDS), listed, {
      type: 'elapsed',
      timer: 'quotes',
    });
    checkout = answerChanged(checkout, () => servedBy(['stripe'])(lastAsk(checkout).body));
    const take = (next: Checkout): void => {
      for (const effect of next.effects) {
        if (effect.do !== 'create_intent') continue;
        const { quote_id, payment_details: details } = effect.body;
        if (details !== null && 'provider' in details) expect(quote_id).toBe(details.provider);
        if (details !== null && 'saved_method' in details) expect(quote_id).toBe('keeper');
        // A provider with its own card fields gets no card from our form.
        if (details !== null && 'card_number' in details) expect(quote_id).not.toBe(CARD_FIELDS.provider);
      }
      checkout = next;
    };
    for (const [done, up] of deeds) {
      if (done !== 'answer') take(play(checkout, done));
      else {
        const asked = lastAsk(checkout);
        const answer = { ok: true, value: servedBy(up)(asked.body) } as const;
        take(play(checkout, { type: 'quotes_answered', ask: asked.ask, at: AT, answer }));
      }
    }
  },
);
