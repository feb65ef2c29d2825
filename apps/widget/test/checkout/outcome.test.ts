import { describe, expect, it } from 'vitest';
import type { EmbedSession, Flow } from '../../src/web/wire/types.js';
import {
  afterAttempt,
  anIntent,
  answerQuotes,
  atPayment,
  CARD,
  DECLINED,
  play,
  refusedBy,
  submitted,
  typed,
  WALLET,
} from '../support/checkout.js';

describe('progress', () => {
  it('polls at growing intervals, also when a poll fails', () => {
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

  it('polls at growing intervals during an action that this version does not know', () => {
    const action = { type: 'of_tomorrow', url: 'https://provider.example/' };
    const asked = { status: 'requires_action', next_action: action as never } as const;
    const answer = { ok: true, value: anIntent(asked) } as const;
    let checkout = afterAttempt('on_ramp', asked);
    for (let look = 0; look < 4; look += 1) {
      checkout = play(checkout, { type: 'elapsed', timer: 'poll' });
      checkout = play(checkout, { type: 'intent_answered', call: 'read', answer });
    }
    expect(checkout.app.screen).toMatchObject({ at: 'progress', polls: 4 });
    expect(checkout.effects).toEqual([{ do: 'wait', timer: 'poll', ms: 3000 }]);
  });

  it('ends in success, which is posted once', () => {
    const moving = afterAttempt('on_ramp', { status: 'processing' });
    const answer = { ok: true, value: anIntent({ status: 'succeeded' }) } as const;
    const { app, done } = play(
      moving,
      { type: 'intent_answered', call: 'read', answer },
      { type: 'intent_answered', call: 'read', answer },
    );
    expect(app.screen.at).toBe('success');
    expect(done.filter((effect) => effect.do === 'post')).toEqual([
      {
        do: 'post',
        message: {
          type: 'PAYMENT_SUCCESS',
          payload: { txId: anIntent().tx_refid, sessionId: anIntent().session_id, amount: '100.00', currency: 'EUR' },
        },
      },
    ]);
  });
});

describe('after a success', () => {
  const answer = { ok: true, value: anIntent({ status: 'succeeded' }) } as const;
  const succeeded = (kind: 'frame' | 'page', session = {}) => {
    const moving = afterAttempt('on_ramp', { status: 'processing' }, session);
    const app = { ...moving.app, settings: { ...moving.app.settings, kind } };
    return play({ ...moving, app }, { type: 'intent_answered', call: 'read', answer });
  };
  const due = { type: 'elapsed', timer: 'return' } as const;

  it('the full page returns to return_url five seconds later, never to cancel_url', () => {
    const success = succeeded('page', { cancel_url: 'https://shop.example/cart' });
    expect(success.app.screen).toMatchObject({ at: 'success', isReturning: true });
    expect(success.effects).toContainEqual({ do: 'wait', timer: 'return', ms: 5000 });
    expect(play(success, due).effects).toEqual([{ do: 'leave', url: 'https://shop.example/done' }]);
  });

  it('a buyer who chooses to stay is not returned', () => {
    const stayed = play(succeeded('page'), { type: 'stayed' });
    expect(stayed.app.screen).toMatchObject({ at: 'success', isReturning: false });
    expect(play(stayed, due).effects).toEqual([]);
  });

  it('a frame leaves the return to the embedding page', () => {
    const success = succeeded('frame');
    expect(success.app.screen).toMatchObject({ at: 'success', isReturning: false });
    expect(success.effects.map((effect) => effect.do)).toEqual(['post']);
    expect(play(success, due).effects).toEqual([]);
  });
});

describe('a failed attempt', () => {
  const failed = () => afterAttempt('on_ramp', { status: 'failed', failure: DECLINED });

  it('is posted with its code', () => {
    expect(failed().effects).toEqual([
      {
        do: 'post',
        message: {
          type: 'PAYMENT_ERROR',
          payload: { code: 'payment_declined', message: 'The card was declined.', intentId: anIntent().id },
        },
      },
    ]);
  });

  it.each(['payment_declined', 'insufficient_funds'])(
    'stays on the card form with the input, and another card can be sent: %s',
    (code) => {
      const checkout = afterAttempt('on_ramp', { status: 'failed', failure: { ...DECLINED, code } });
      expect(checkout.app.screen).toMatchObject({
        at: 'payment',
        form: { values: CARD, errors: { card_number: 'card_declined' }, isSending: false },
      });
      const again = play(checkout, ...typed({ card_number: '4000 0000 0000 3220' }), submitted);
      expect(again.effects).toMatchObject([
        { do: 'create_intent', body: { payment_details: { card_number: '4000000000003220', cvc: '123' } } },
      ]);
      const twice = play(again, {
        type: 'intent_answered',
        call: 'create',
        answer: { ok: true, value: anIntent({ id: 'another', status: 'failed', failure: DECLINED }) },
      });
      expect(twice.done.filter((effect) => effect.do === 'post')).toHaveLength(2);
    },
  );

  it('offers another payment method, with the wallet kept', () => {
    const { app } = play(failed(), { type: 'chose_method', method: 'bank_transfer' });
    expect(app.screen).toMatchObject({ at: 'order', draft: { method: 'bank_transfer', wallet: WALLET } });
  });

  it('returns to an empty card form with a new price if it happened at a later step', () => {
    const code = { type: 'payment_authentication', challenge: 'otp', destination: '••42' } as const;
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: code });
    const declined = play(asked, {
      type: 'intent_answered',
      call: 'confirm',
      answer: { ok: true, value: anIntent({ status: 'failed', failure: DECLINED }) },
    });
    expect(declined.app.screen).toMatchObject({ at: 'payment', form: { values: { card_number: '' } } });
    expect(declined.effects.map((effect) => effect.do)).toEqual(['ask_quotes', 'post']);
  });
});

describe('a failure that a retry cannot resolve', () => {
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

  it.each(['limit_exceeded', 'error', 'a_code_of_tomorrow'])('preselects another payment method: %s', (code) => {
    const { app } = failed(code);
    expect(app.screen).toMatchObject({ at: 'failure', wayOn: 'other_way' });
    const again = answerQuotes(play(failed(code), { type: 'retried' }));
    expect(again.app.screen).toMatchObject({ at: 'order', draft: { method: 'bank_transfer', wallet: WALLET } });
  });

  it('offers only the return to the shop if there is no alternative', () => {
    const sale = failed('limit_exceeded', { flow: 'off_ramp' });
    expect(sale.app.screen).toMatchObject({ at: 'failure', wayOn: null });
    expect(play(sale, { type: 'retried' }).app.screen).toEqual(sale.app.screen);
    expect(failed('kyc_rejected').app.screen).toMatchObject({ wayOn: null });
  });

  it.each(['sanctions_blocked', 'wallet_address_invalid'])(
    'asks for another wallet if the buyer typed it: %s',
    (code) => {
      const again = answerQuotes(play(failed(code), { type: 'retried' }));
      expect(again.app.screen).toMatchObject({ at: 'order', draft: { method: 'card', wallet: '', refund: '' } });
      expect(failed(code, { session: { wallet_address: WALLET } }).app.screen).toMatchObject({ wayOn: null });
      expect(failed(code, { flow: 'swap', session: { wallet_address: WALLET } }).app.screen).toMatchObject({
        wayOn: 'other_wallet',
      });
    },
  );

  it('does not include failures that the service calls retryable', () => {
    expect(failed('limit_exceeded', { retryable: true }).app.screen).toMatchObject({ wayOn: 'again' });
  });
});
