import { describe, expect, it } from 'vitest';
import type { App } from '../src/web/app/app.js';
import { wayOutOf } from '../src/web/app/way-out.js';
import type { EmbedSession, Flow } from '../src/web/wire/types.js';
import {
  ACCOUNT,
  afterAttempt,
  anIntent,
  answerQuotes,
  aSession,
  AT,
  atOrder,
  atPayment,
  CAPABILITIES,
  DECLINED,
  DEPOSIT,
  FIRST,
  OPENED,
  play,
  refusedBy,
  someQuotes,
  submitted,
  typed,
  WALLET,
  type Checkout,
} from './support/checkout.js';

describe('opening', () => {
  it('reads the session before it shows anything', () => {
    const { app, effects } = play(FIRST, { type: 'opened', opened: OPENED });
    expect(app.screen.at).toBe('opening');
    expect(effects).toEqual([{ do: 'read_session' }]);
  });

  it('takes up the live intent of the session, wherever it stands', () => {
    const found = play(
      FIRST,
      { type: 'opened', opened: OPENED },
      { type: 'session_answered', answer: { ok: true, value: aSession({ intent_id: 'i1' }) } },
    );
    expect(found.effects).toEqual([{ do: 'read_intent', id: 'i1' }]);
    const intent = anIntent({ status: 'requires_action', next_action: DEPOSIT, flow: 'off_ramp' });
    const resumed = play(found, { type: 'intent_answered', call: 'read', answer: { ok: true, value: intent } });
    expect(resumed.app.screen).toMatchObject({ at: 'deposit', intent });
  });

  it.each(['completed', 'cancelled', 'expired'] as const)(
    'says so when the session is %s, and where to return',
    (status) => {
      const opened = { ...OPENED, available: false, unavailableReason: `session_${status}` };
      const { app } = play(
        FIRST,
        { type: 'opened', opened },
        { type: 'session_answered', answer: { ok: true, value: aSession({ status }) } },
      );
      expect(app.screen).toEqual({ at: 'ended', status });
      expect(app.terms?.returnUrl).toBe('https://shop.example/done');
    },
  );

  it('says why it is not available, and asks for nothing', () => {
    const opened = { ...OPENED, available: false, unavailableReason: 'quota_exhausted' };
    const { app, effects } = play(FIRST, { type: 'opened', opened });
    expect([app.screen, effects]).toEqual([{ at: 'unavailable', reason: 'quota_exhausted' }, []]);
  });

  it('returns to where the page wants its buyers, else to where the session says', () => {
    const config = { ...OPENED.config, returnUrl: 'https://shop.example/elsewhere' };
    expect(atOrder({}, { config }).app.terms?.returnUrl).toBe('https://shop.example/elsewhere');
    expect(atOrder().app.terms?.returnUrl).toBe('https://shop.example/done');
  });

  it.each([
    ['de_AT', 'de-AT'],
    ['ar', 'ar'],
    ['fr', 'en'],
    ['not a locale', 'en'],
  ])('takes the locale of the page as far as it can be used: %s', (locale, used) => {
    expect(atOrder({}, { locale }).app.settings.locale).toBe(used);
  });

  it('waits for an attempt at an action that is not known here, as for one under way', () => {
    const action = { type: 'of_tomorrow' } as unknown as typeof DEPOSIT;
    const { app, effects } = afterAttempt('on_ramp', { status: 'requires_action', next_action: action });
    expect(app.screen.at).toBe('progress');
    expect(effects).toEqual([{ do: 'wait', timer: 'poll', ms: 1000 }]);
    const status = 'of_tomorrow' as 'created';
    expect(afterAttempt('on_ramp', { status }).app.screen.at).toBe('progress');
  });

  it('that failed is loaded anew when the buyer wants it', () => {
    const broken = play(FIRST, { type: 'session_answered', answer: refusedBy('unreachable') });
    expect(broken.app.screen.at).toBe('broken');
    expect(play(broken, { type: 'reloaded' }).effects).toEqual([{ do: 'reload' }]);
  });

  it('is done once: whoever sends a second configuration is not heard', () => {
    const once = play(FIRST, { type: 'opened', opened: OPENED });
    const twice = play(once, { type: 'opened', opened: { ...OPENED, flow: 'swap' } });
    expect([twice.app, twice.effects]).toEqual([once.app, []]);
  });

  it('without a session shows prices of what the page asks for, and sells nothing', () => {
    const config = { ...OPENED.config, amount: '25.00', currency: 'USD' };
    const look = answerQuotes(play(FIRST, { type: 'opened', opened: { ...OPENED, isBound: false, config } }));
    expect(look.done.find((effect) => effect.do === 'ask_quotes')?.body).toMatchObject({
      amount: '25.00',
      currency: 'USD',
    });
    expect(look.app.terms).toMatchObject({ sessionId: null, amount: '25.00', currency: 'USD' });
    expect(play(look, submitted).app.screen.at).toBe('order');
  });
});

describe('the order', () => {
  it('asks for prices of the terms that the session fixed, not of what the page says', () => {
    const config = { ...OPENED.config, amount: '1.00', currency: 'USD', targetToken: 'ETH' };
    const { app, done } = atOrder({ target_token: 'USDC', target_network: 'base' }, { config });
    expect(app.terms).toMatchObject({ amount: '100.00', currency: 'EUR', targetToken: 'USDC' });
    const asked = done.find((effect) => effect.do === 'ask_quotes');
    expect(asked?.body).toMatchObject({
      amount: '100.00',
      currency: 'EUR',
      target_token: 'USDC',
      target_network: 'base',
    });
  });

  it('keeps the terms of the session when the page sends others later', () => {
    const order = atOrder();
    const later = play(order, { type: 'configured', config: { amount: '1.00', currency: 'USD' } });
    expect([later.app.terms, later.app.screen, later.effects]).toEqual([order.app.terms, order.app.screen, []]);
  });

  it('changes prices with the page where no session fixes them', () => {
    const look = answerQuotes(play(FIRST, { type: 'opened', opened: { ...OPENED, isBound: false } }));
    const { effects } = play(look, { type: 'configured', config: { amount: '7.00' } });
    expect(effects).toEqual([expect.objectContaining({ do: 'ask_quotes' })]);
    expect(effects[0]).toMatchObject({ body: { amount: '7.00', currency: 'EUR' } });
  });

  it('offers the flows that the partner has, and only the locked one where there is a lock', () => {
    const capabilities = { ...CAPABILITIES, flows: ['on_ramp', 'off_ramp'] } as const;
    expect(atOrder({ capabilities }).app.terms?.flows).toEqual(['on_ramp', 'off_ramp']);
    const locked = atOrder({ flow: 'off_ramp' });
    expect(locked.app.terms?.flows).toEqual(['off_ramp']);
    expect(play(locked, { type: 'chose_flow', flow: 'swap' }).app.screen).toEqual(locked.app.screen);
    expect(atOrder({ flow: 'off_ramp' }, { flow: 'on_ramp' }).app.terms?.flow).toBe('on_ramp');
  });

  it('asks anew when the price lapses, counted from when it came, whatever the clock of the service says', () => {
    const order = atOrder();
    expect(order.effects).toEqual([{ do: 'wait', timer: 'quotes', ms: 300_000 }]);
    expect(order.app.screen).toMatchObject({ draft: { lapsesAt: AT + 300_000 } });
    const lapsed = play(order, { type: 'elapsed', timer: 'quotes' });
    expect(lapsed.effects).toEqual([expect.objectContaining({ do: 'ask_quotes', ask: 2 })]);
  });

  it('says so when the price became another one by itself, and not when the buyer asked for another', () => {
    const renewed = (destination: string) => {
      const asked = play(atOrder({ flow: 'on_ramp' }), { type: 'elapsed', timer: 'quotes' });
      const quotes = someQuotes({ flow: 'on_ramp', amount: '100.00', currency: 'EUR' });
      const changed = quotes.quotes.map((one) => ({
        ...one,
        destination: { ...one.destination, amount: destination },
      }));
      const answer = { ok: true, value: { ...quotes, quotes: changed } } as const;
      return play(asked, { type: 'quotes_answered', ask: 2, at: AT, answer });
    };
    expect(renewed('107.000000').app.screen).toMatchObject({ draft: { isRenewed: true } });
    expect(renewed('107.554347').app.screen).toMatchObject({ draft: { isRenewed: false } });
    expect(play(renewed('107.000000'), { type: 'elapsed', timer: 'quotes' }).app.screen).toMatchObject({
      draft: { isRenewed: false },
    });
    const other = answerQuotes(play(atOrder(), { type: 'chose_flow', flow: 'off_ramp' }));
    expect(other.app.screen).toMatchObject({ draft: { isRenewed: false } });
  });

  it('passes over an answer to a question that has been asked anew', () => {
    const asked = play(atOrder(), { type: 'chose_flow', flow: 'swap' });
    const late = play(asked, { type: 'quotes_answered', ask: 1, at: AT, answer: refusedBy('corridor_not_supported') });
    expect(late.app.screen).toEqual(asked.app.screen);
  });

  it('shows why there is no price, and asks again when told to', () => {
    const asked = play(
      FIRST,
      { type: 'opened', opened: OPENED },
      { type: 'session_answered', answer: { ok: true, value: aSession() } },
    );
    const refused = play(asked, { type: 'quotes_answered', ask: 1, at: AT, answer: refusedBy('amount_above_maximum') });
    expect(refused.app.screen).toMatchObject({ at: 'order', draft: { refusal: { code: 'amount_above_maximum' } } });
    expect(play(refused, { type: 'retried' }).effects).toEqual([expect.objectContaining({ do: 'ask_quotes', ask: 2 })]);
  });
});

describe('the wallet', () => {
  it('is not asked for where the session has it', () => {
    expect(play(atOrder({ flow: 'on_ramp', wallet_address: WALLET }), submitted).app.screen.at).toBe('payment');
    const swap = play(atOrder({ flow: 'swap', wallet_address: WALLET }), submitted);
    expect(swap.app.screen.at).toBe('wallet');
  });

  it.each([
    ['', 'required'],
    ['0x1234', 'not_an_address'],
    ['0x52908400098527886E0F7030069857D2E4169Ee7', 'wrong_checksum'],
  ])('is held back with a word on what is wrong: %s', (wallet, fault) => {
    const { app } = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet }), submitted);
    expect(app.screen).toMatchObject({ at: 'wallet', faults: { wallet: fault } });
  });

  it.each([
    ['wallet', atOrder({ flow: 'on_ramp' }), submitted],
    ['payment', atPayment('on_ramp'), { type: 'left_field', field: 'cvc' }],
  ] as const)(
    'and the step after: a session that has ended meanwhile is looked up, not refused: %s',
    (at, from, on) => {
      const lapsed = play(from, on, { type: 'elapsed', timer: 'quotes' });
      expect(lapsed.app.screen.at).toBe(at);
      const ended = play(lapsed, { type: 'quotes_answered', ask: 2, at: AT, answer: refusedBy('session_not_open') });
      expect([ended.app.screen.at, ended.effects]).toEqual(['opening', [{ do: 'read_session' }]]);
    },
  );

  it('leads back to the order with what was typed', () => {
    const back = play(atOrder({ flow: 'on_ramp' }), submitted, ...typed({ wallet: 'half' }), { type: 'went_back' });
    expect(back.app.screen).toMatchObject({ at: 'order', draft: { wallet: 'half' } });
  });
});

describe('the payment', () => {
  it('leads back to the wallet, and to the order where the session has the address', () => {
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
  ] as const)('sends what the flow uses and nothing else: %s', (flow, body) => {
    const { effects } = play(atPayment(flow), submitted);
    expect(effects).toEqual([expect.objectContaining({ do: 'create_intent' })]);
    expect(effects[0]).toMatchObject({ body: { flow, amount: '100.00', currency: 'EUR', ...body } });
  });

  it('sends card and account as the wire wants them', () => {
    expect(play(atPayment('on_ramp'), submitted).effects[0]).toMatchObject({
      body: {
        quote_id: 'quote_card',
        payment_details: { card_number: '4242424242424242', expiry: '12/34', cvc: '123' },
      },
    });
    expect(play(atPayment('off_ramp'), submitted).effects[0]).toMatchObject({
      body: { payout_details: { type: 'iban', ...ACCOUNT } },
    });
  });

  it('is sent once, however often it is submitted', () => {
    const { done } = play(atPayment('on_ramp'), submitted, submitted, submitted);
    expect(done.filter((effect) => effect.do === 'create_intent')).toHaveLength(1);
  });

  it('shows what was refused at its field, and the rest of the whole', () => {
    const fields = refusedBy('validation_failed', ['payment_details.card_number']);
    const one = play(atPayment('on_ramp'), submitted, { type: 'intent_answered', call: 'create', answer: fields });
    expect(one.app.screen).toMatchObject({
      form: { faults: { card_number: 'refused' }, refusal: null, isSending: false },
    });
    const whole = play(atPayment('on_ramp'), submitted, {
      type: 'intent_answered',
      call: 'create',
      answer: refusedBy('amount_mismatch'),
    });
    expect(whole.app.screen).toMatchObject({ at: 'payment', form: { refusal: { code: 'amount_mismatch' } } });
  });

  it('gets a new price when the old one lapsed on the way, and keeps what was typed', () => {
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

  it.each(['unreachable', 'intent_in_progress', 'session_not_open'])(
    'asks the session what has become of it when nobody here can know: %s',
    (code) => {
      const { app, effects } = play(atPayment('on_ramp'), submitted, {
        type: 'intent_answered',
        call: 'create',
        answer: refusedBy(code),
      });
      expect([app.screen.at, effects]).toEqual(['opening', [{ do: 'read_session' }]]);
    },
  );
});

describe('what the buyer is asked for', () => {
  const fields = ['first_name', 'last_name', 'date_of_birth', 'document_number'];
  const kyc = { type: 'kyc', level: 'basic', fields } as const;
  const otp = { type: 'payment_authentication', challenge: 'otp', destination: '••42' } as const;

  it('is who they are, and leads on to what comes next', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: kyc });
    const person = { first_name: 'Ada', last_name: 'Lovelace', date_of_birth: '1990-12-10', document_number: 'X1' };
    const sent = play(asked, ...typed(person), submitted);
    expect(sent.effects).toEqual([{ do: 'confirm_intent', id: anIntent().id, body: { action: 'kyc', kyc: person } }]);
    const next = anIntent({ status: 'requires_action', next_action: otp });
    const on = play(sent, { type: 'intent_answered', call: 'confirm', answer: { ok: true, value: next } });
    expect(on.app.screen).toMatchObject({ at: 'code', form: { values: { code: '' } } });
  });

  it('is what the intent names, in the order of the form, and nothing else', () => {
    const named = { ...kyc, fields: ['date_of_birth', 'first_name', 'shoe_size'] };
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: named });
    expect(asked.app.screen).toMatchObject({ at: 'identity', fields: ['first_name', 'date_of_birth'] });
    expect(play(asked, submitted).app.screen).toMatchObject({
      form: { faults: { first_name: 'required', date_of_birth: 'required' } },
    });
    const sent = play(
      asked,
      ...typed({ first_name: 'Ada', date_of_birth: '1990-12-10', last_name: 'Lovelace' }),
      submitted,
    );
    expect(sent.effects).toEqual([
      {
        do: 'confirm_intent',
        id: anIntent().id,
        body: { action: 'kyc', kyc: { first_name: 'Ada', date_of_birth: '1990-12-10' } },
      },
    ]);
  });

  it('is no day that there never was', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: kyc });
    const { app } = play(
      asked,
      ...typed({ first_name: 'A', last_name: 'L', date_of_birth: '1990-02-30', document_number: 'X' }),
      submitted,
    );
    expect(app.screen).toMatchObject({ form: { faults: { date_of_birth: 'not_a_day' } } });
  });

  it('is a code, without its spaces', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: otp });
    expect(play(asked, ...typed({ code: '000 000' }), submitted).effects).toEqual([
      { do: 'confirm_intent', id: anIntent().id, body: { action: 'payment_authentication', code: '000000' } },
    ]);
  });

  it('is a deposit, which may be seen before the buyer says that it was sent', () => {
    const asked = afterAttempt('off_ramp', { status: 'requires_action', next_action: DEPOSIT });
    expect(asked.effects).toEqual([
      { do: 'wait', timer: 'poll', ms: 1000 },
      { do: 'wait_until', timer: 'deposit', at: Date.parse(DEPOSIT.expires_at) },
    ]);
    const looked = play(asked, { type: 'elapsed', timer: 'poll' });
    expect(looked.effects).toEqual([{ do: 'read_intent', id: anIntent().id }]);
    const seen = anIntent({ flow: 'off_ramp', status: 'processing' });
    const moved = play(looked, { type: 'intent_answered', call: 'read', answer: { ok: true, value: seen } });
    expect(moved.app.screen.at).toBe('progress');
  });

  it('is a deposit until it lapses, by the clock of the service as far as it was seen ahead', () => {
    const minute = 60_000;
    const waiting = { flow: 'off_ramp', status: 'requires_action', next_action: DEPOSIT } as const;
    const ahead = play(
      atPayment('off_ramp'),
      submitted,
      { type: 'clock_seen', leadMs: 2 * minute },
      { type: 'clock_seen', leadMs: -5 * minute },
      { type: 'intent_answered', call: 'create', answer: { ok: true, value: anIntent(waiting) } },
    );
    const until = Date.parse(DEPOSIT.expires_at) - 2 * minute;
    expect(ahead.app.screen).toMatchObject({ at: 'deposit', until, isLate: false });
    expect(ahead.effects).toContainEqual({ do: 'wait_until', timer: 'deposit', at: until });

    const late = play(ahead, { type: 'elapsed', timer: 'deposit' });
    expect(late.app.screen).toMatchObject({ at: 'deposit', isLate: true });
    expect(late.effects).toEqual([{ do: 'wait', timer: 'poll', ms: 1000 }]);
    expect(play(late, submitted).effects).toEqual([]);
    const failure = { ...DECLINED, code: 'deposit_not_received', stage: 'deposit' };
    const over = play(
      late,
      { type: 'elapsed', timer: 'poll' },
      {
        type: 'intent_answered',
        call: 'read',
        answer: { ok: true, value: anIntent({ ...waiting, status: 'failed', next_action: null, failure }) },
      },
    );
    expect(over.app.screen).toMatchObject({ at: 'failure', failure, wayOn: 'again' });
  });

  it('can be called off: the attempt is cancelled and the order is there again', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: otp });
    const cancelling = play(asked, { type: 'cancelled' });
    expect(cancelling.effects).toEqual([{ do: 'cancel_intent', id: anIntent().id }]);
    const off = play(cancelling, {
      type: 'intent_answered',
      call: 'cancel',
      answer: { ok: true, value: anIntent({ status: 'cancelled' }) },
    });
    expect(off.app.screen).toMatchObject({ at: 'order', draft: { wallet: WALLET } });
  });
});

describe('progress', () => {
  it('looks less and less often, and goes on when nobody answers', () => {
    let checkout = afterAttempt('on_ramp', { status: 'processing' });
    const waits: number[] = [];
    for (let look = 0; look < 10; look += 1) {
      for (const effect of checkout.effects) if (effect.do === 'wait') waits.push(effect.ms);
      checkout = play(checkout, { type: 'elapsed', timer: 'poll' });
      checkout = play(checkout, { type: 'intent_answered', call: 'read', answer: refusedBy('unreachable') });
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBeLessThanOrEqual(10_000);
    expect(checkout.app.screen).toMatchObject({ at: 'progress', isOffline: true });
  });

  it('ends in success, which the page is told once', () => {
    const moving = afterAttempt('on_ramp', { status: 'processing' });
    const answer = { ok: true, value: anIntent({ status: 'succeeded' }) } as const;
    const { app, done } = play(
      moving,
      { type: 'intent_answered', call: 'read', answer },
      { type: 'intent_answered', call: 'read', answer },
    );
    expect(app.screen.at).toBe('success');
    expect(done.filter((effect) => effect.do === 'tell')).toEqual([
      {
        do: 'tell',
        told: {
          type: 'PAYMENT_SUCCESS',
          payload: { txId: anIntent().tx_refid, sessionId: anIntent().session_id, amount: '100.00', currency: 'EUR' },
        },
      },
    ]);
  });
});

describe('a failed attempt', () => {
  const failed = () => afterAttempt('on_ramp', { status: 'failed', failure: DECLINED });

  it('is told to the page, with its code', () => {
    expect(failed().effects).toEqual([
      {
        do: 'tell',
        told: {
          type: 'PAYMENT_ERROR',
          payload: { code: 'payment_declined', message: 'The card was declined.', intentId: anIntent().id },
        },
      },
    ]);
  });

  it('can be tried again in the same session: with the wallet kept and the card forgotten', () => {
    const again = answerQuotes(play(failed(), { type: 'retried' }));
    expect(again.app.screen).toMatchObject({ at: 'order', draft: { wallet: WALLET, method: 'card' } });
    const payment = play(again, submitted, submitted);
    expect(payment.app.screen).toMatchObject({
      at: 'payment',
      form: { values: { card_number: '', expiry: '', cvc: '' } },
    });
  });
});

describe('a failure that the same would meet again', () => {
  const failed = (
    code: string,
    given: { readonly session?: Partial<EmbedSession>; readonly flow?: Flow; readonly retryable?: boolean } = {},
  ) => {
    const { session = {}, flow = 'on_ramp', retryable = false } = given;
    const method = flow === 'on_ramp' ? 'card' : flow === 'off_ramp' ? 'bank_transfer' : 'crypto';
    const failure = { code, stage: 'screening', message: '', retryable };
    return play(atPayment(flow, session), submitted, {
      type: 'intent_answered',
      call: 'create',
      answer: {
        ok: true,
        value: anIntent({ flow, status: 'failed', payment_method: method, failure }),
      },
    });
  };

  it.each(['limit_exceeded', 'error', 'a_code_of_tomorrow'])(
    'leads to another way to pay, which is chosen already: %s',
    (code) => {
      const { app } = failed(code);
      expect(app.screen).toMatchObject({ at: 'failure', wayOn: 'other_way' });
      const again = answerQuotes(play(failed(code), { type: 'retried' }));
      expect(again.app.screen).toMatchObject({ at: 'order', draft: { method: 'bank_transfer', wallet: WALLET } });
    },
  );

  it('leads nowhere but to the shop where there is nothing else to choose', () => {
    const sale = failed('limit_exceeded', { flow: 'off_ramp' });
    expect(sale.app.screen).toMatchObject({ at: 'failure', wayOn: null });
    expect(play(sale, { type: 'retried' }).app.screen).toEqual(sale.app.screen);
    expect(failed('kyc_rejected').app.screen).toMatchObject({ wayOn: null });
  });

  it.each(['sanctions_blocked', 'wallet_address_invalid'])(
    'asks for another wallet where it is one that was typed: %s',
    (code) => {
      const again = answerQuotes(play(failed(code), { type: 'retried' }));
      expect(again.app.screen).toMatchObject({ at: 'order', draft: { method: 'card', wallet: '', refund: '' } });
      expect(failed(code, { session: { wallet_address: WALLET } }).app.screen).toMatchObject({ wayOn: null });
      expect(failed(code, { flow: 'swap', session: { wallet_address: WALLET } }).app.screen).toMatchObject({
        wayOn: 'other_wallet',
      });
    },
  );

  it('is not one that the service calls retryable', () => {
    expect(failed('limit_exceeded', { retryable: true }).app.screen).toMatchObject({ wayOn: 'again' });
  });
});

describe('an address that the service refuses', () => {
  const refusal = (flow: Flow, named: readonly string[] = [], session: Partial<EmbedSession> = {}) =>
    play(atPayment(flow, session), submitted, {
      type: 'intent_answered',
      call: 'create',
      answer: refusedBy('wallet_address_invalid', named),
    });

  it.each([
    ['on_ramp', [], { wallet: 'address_refused' }],
    ['off_ramp', [], { refund: 'address_refused' }],
    ['swap', [], { wallet: 'address_refused', refund: 'address_refused' }],
    ['swap', ['refund_address'], { refund: 'address_refused' }],
  ] as const)('is shown at its field, with what was typed: %s %j', (flow, named, faults) => {
    const { app } = refusal(flow, named);
    expect(app.screen).toMatchObject({ at: 'wallet', faults });
    expect(app.screen).toHaveProperty('draft.wallet', flow === 'off_ramp' ? '' : WALLET);
    expect(Object.keys(app.screen.at === 'wallet' ? app.screen.faults : {})).toEqual(Object.keys(faults));
  });

  it('is told of the whole where the session has fixed it', () => {
    const { app } = refusal('on_ramp', [], { wallet_address: WALLET });
    expect(app.screen).toMatchObject({ at: 'payment', form: { refusal: { code: 'wallet_address_invalid' } } });
  });
});

describe('the way out', () => {
  it('of a frame is the business of the page around it', () => {
    expect(play(atOrder(), { type: 'closed' }).effects).toEqual([
      { do: 'tell', told: { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } } },
    ]);
  });

  it('of the full page leads to the cancel address, and ends an attempt that waits for the buyer', () => {
    const page = { ...FIRST, settings: { ...FIRST.settings, kind: 'page' } } as const;
    const session = aSession({ cancel_url: 'https://shop.example/cart', intent_id: 'i1' });
    const asked = play(
      page,
      { type: 'opened', opened: OPENED },
      { type: 'session_answered', answer: { ok: true, value: session } },
      {
        type: 'intent_answered',
        call: 'read',
        answer: { ok: true, value: anIntent({ id: 'i1', status: 'requires_action', next_action: DEPOSIT }) },
      },
    );
    expect(play(asked, { type: 'closed' }).effects).toEqual([
      { do: 'leave', url: 'https://shop.example/cart', cancelFirst: 'i1' },
    ]);
  });

  const onPage = ({ app }: Checkout): App => ({ ...app, settings: { ...app.settings, kind: 'page' } });
  const withCart = { cancel_url: 'https://shop.example/cart' };

  it('is shut while it is unknown whether the buyer has paid', () => {
    const paying = play(atPayment('on_ramp', withCart), submitted);
    expect(paying.effects).toContainEqual(expect.objectContaining({ do: 'create_intent' }));
    const left = play(onPage(paying), { type: 'closed' });
    expect([wayOutOf(left.app).isShut, left.effects]).toEqual([true, []]);
    const refused = play(paying, { type: 'intent_answered', call: 'create', answer: refusedBy('unreachable') });
    expect(play(onPage(refused), { type: 'closed' }).effects).toEqual([
      { do: 'leave', url: 'https://shop.example/cart', cancelFirst: null },
    ]);
  });

  it('leads to the return address once money is on its way: those who go to the other have bought nothing', () => {
    const intent = anIntent({ status: 'processing' });
    const paying = play(atPayment('on_ramp', withCart), submitted);
    const progress = play(paying, { type: 'intent_answered', call: 'create', answer: { ok: true, value: intent } });
    expect(wayOutOf(progress.app).isPaid).toBe(true);
    expect(play(onPage(progress), { type: 'closed' }).effects).toEqual([
      { do: 'leave', url: 'https://shop.example/done', cancelFirst: null },
    ]);
  });

  it.each(['expired_embed_token', 'invalid_embed_token'])('is all that is left once the token is over: %s', (code) => {
    const { app } = play(atOrder(), { type: 'quotes_answered', ask: 1, at: AT, answer: refusedBy(code) });
    expect(app.screen).toMatchObject({ at: 'broken', refusal: { code } });
  });
});
