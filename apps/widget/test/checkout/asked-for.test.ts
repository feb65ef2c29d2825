import { describe, expect, it } from 'vitest';
import {
  afterAttempt,
  anIntent,
  atPayment,
  DECLINED,
  DEPOSIT,
  play,
  submitted,
  TRANSFER,
  typed,
  WALLET,
} from '../support/checkout.js';

describe('actions required of the buyer', () => {
  const fields = ['first_name', 'last_name', 'date_of_birth', 'document_number'];
  const kyc = { type: 'kyc', level: 'basic', fields } as const;
  const otp = { type: 'payment_authentication', challenge: 'otp', destination: '••42' } as const;

  it('identity verification continues with the next action', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: kyc });
    const person = { first_name: 'Ada', last_name: 'Lovelace', date_of_birth: '1990-12-10', document_number: 'X1' };
    const sent = play(asked, ...typed(person), submitted);
    expect(sent.effects).toEqual([{ do: 'confirm_intent', id: anIntent().id, body: { action: 'kyc', kyc: person } }]);
    const next = anIntent({ status: 'requires_action', next_action: otp });
    const on = play(sent, { type: 'intent_answered', call: 'confirm', answer: { ok: true, value: next } });
    expect(on.app.screen).toMatchObject({ at: 'code', form: { values: { code: '' } } });
  });

  it('another code is asked for, and the one that comes empties the field', () => {
    const first = '2030-01-01T00:00:30.000Z';
    const waiting = { status: 'requires_action', next_action: otp } as const;
    const asked = afterAttempt('on_ramp', { ...waiting, code_resend_at: first });
    const sent = play(asked, ...typed({ code: '12' }), { type: 'asked_for_code' });
    expect(sent.effects).toEqual([{ do: 'confirm_intent', id: anIntent().id, body: { action: 'send_code' } }]);
    expect(play(sent, submitted).effects).toEqual([]);
    const answered = (resendAt: string) =>
      play(sent, {
        type: 'intent_answered',
        call: 'confirm',
        answer: { ok: true, value: anIntent({ ...waiting, code_resend_at: resendAt }) },
      }).app.screen;
    expect(answered('2030-01-01T00:01:01.000Z')).toMatchObject({
      at: 'code',
      isResending: false,
      isResent: true,
      form: { values: { code: '' } },
    });
    expect(answered(first)).toMatchObject({
      isResending: false,
      isResent: false,
      form: { values: { code: '12' }, refusal: { code: 'confirmation_not_taken' } },
    });
  });

  it('identity verification shows only the fields that the intent names, in the order of the form', () => {
    const named = { ...kyc, fields: ['date_of_birth', 'first_name', 'shoe_size'] };
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: named });
    expect(asked.app.screen).toMatchObject({ at: 'identity', fields: ['first_name', 'date_of_birth'] });
    expect(play(asked, submitted).app.screen).toMatchObject({
      form: { errors: { first_name: 'required', date_of_birth: 'required' } },
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

  it('identity verification rejects dates that do not exist', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: kyc });
    const { app } = play(
      asked,
      ...typed({ first_name: 'A', last_name: 'L', date_of_birth: '1990-02-30', document_number: 'X' }),
      submitted,
    );
    expect(app.screen).toMatchObject({ form: { errors: { date_of_birth: 'not_a_day' } } });
    const unborn = play(app, ...typed({ date_of_birth: '2030-01-03' }), submitted);
    expect(unborn.app.screen).toMatchObject({ form: { errors: { date_of_birth: 'not_a_day' }, isSending: false } });
  });

  const redirect = { type: 'redirect', url: 'https://bank.example/1', expires_at: '2030-01-01T00:15:00.000Z' } as const;

  it('a redirect opens the bank’s page on a click, and the provider is asked once the buyer is back', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: redirect });
    expect(asked.app.screen).toMatchObject({ at: 'visit', hasSetOut: false });
    const out = play(asked, { type: 'set_out' });
    expect(out.effects).toEqual([{ do: 'visit', url: redirect.url }]);
    const back = play(out, { type: 'returned' });
    expect(back.effects).toEqual([{ do: 'confirm_intent', id: anIntent().id, body: { action: 'redirect' } }]);
    const same = anIntent({ status: 'requires_action', next_action: redirect });
    const early = play(back, { type: 'intent_answered', call: 'confirm', answer: { ok: true, value: same } });
    expect(early.app.screen).toMatchObject({ at: 'visit', isSending: false, refusal: { code: 'visit_not_finished' } });
  });

  it('a window that only looks closed asks the provider without a message, and a message of the buyer’s stays', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: redirect });
    const gone = { type: 'may_be_back' } as const;
    expect(play(asked, gone).effects).toEqual([]);
    const looked = play(asked, { type: 'set_out' }, gone);
    const confirm = { do: 'confirm_intent', id: anIntent().id, body: { action: 'redirect' } };
    expect(looked.effects).toEqual([confirm]);
    const same = anIntent({ status: 'requires_action', next_action: redirect });
    const confirmed = { type: 'intent_answered', call: 'confirm', answer: { ok: true, value: same } } as const;
    const read = { ...confirmed, call: 'read' } as const;
    const still = play(looked, read, confirmed);
    expect(still.app.screen).toMatchObject({ at: 'visit', isSending: false, refusal: null });
    expect(still.effects).toEqual([{ do: 'wait', timer: 'poll', ms: 1000 }]);
    expect(play(looked, submitted, confirmed).app.screen).toMatchObject({ refusal: { code: 'visit_not_finished' } });
    const told = play(still, submitted, confirmed);
    expect(told.app.screen).toMatchObject({ refusal: { code: 'visit_not_finished' } });
    const again = play(told, { type: 'looked_again' });
    expect(again.effects).toEqual([confirm]);
    expect(play(again, confirmed).app.screen).toMatchObject({ refusal: { code: 'visit_not_finished' } });
    const moved = { ...confirmed, answer: { ok: true, value: anIntent({ status: 'processing' }) } } as const;
    expect(play(again, moved).app.screen.at).toBe('progress');
  });

  it('a provider’s component reports when it is done', () => {
    const action = {
      type: 'provider_component',
      provider: 'sandbox',
      public_key: 'pk',
      client_secret: 'cs',
      expires_at: redirect.expires_at,
    } as const;
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: action });
    expect(asked.app.screen).toMatchObject({ at: 'component' });
    expect(play(asked, { type: 'returned' }).effects).toEqual([
      { do: 'confirm_intent', id: anIntent().id, body: { action: 'provider_component' } },
    ]);
  });

  it('a one-time code is sent without spaces', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: otp });
    expect(play(asked, ...typed({ code: '000 000' }), submitted).effects).toEqual([
      { do: 'confirm_intent', id: anIntent().id, body: { action: 'payment_authentication', code: '000000' } },
    ]);
  });

  it('after a failed confirmation the same action stays, with the input and a message', () => {
    const same = anIntent({ status: 'requires_action', next_action: otp });
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: otp });
    const sent = play(asked, ...typed({ code: '000000' }), submitted);
    const again = play(sent, { type: 'intent_answered', call: 'confirm', answer: { ok: true, value: same } });
    expect(again.app.screen).toMatchObject({
      at: 'code',
      form: { values: { code: '000000' }, isSending: false, refusal: { code: 'confirmation_not_taken' } },
    });
    const tried = play(again, submitted);
    expect(tried.effects).toMatchObject([{ do: 'confirm_intent', body: { code: '000000' } }]);
    expect(tried.app.screen).toMatchObject({ form: { isSending: true, refusal: null } });
    const on = { ok: true, value: anIntent({ status: 'processing' }) } as const;
    expect(play(tried, { type: 'intent_answered', call: 'confirm', answer: on }).app.screen.at).toBe('progress');
  });

  it.each([
    ['visit', { type: 'redirect', url: 'https://bank.example/3ds', expires_at: DEPOSIT.expires_at }],
    [
      'component',
      {
        type: 'provider_component',
        provider: 'acme',
        public_key: 'pk',
        client_secret: 'secret',
        expires_at: DEPOSIT.expires_at,
      },
    ],
    ['deposit', DEPOSIT],
  ] as const)('a payment in progress that then needs the buyer leads to the step %s', (step, action) => {
    const moving = afterAttempt('on_ramp', { status: 'processing' });
    expect(moving.app.screen.at).toBe('progress');
    const asked = anIntent({ status: 'requires_action', next_action: action });
    const polled = play(
      moving,
      { type: 'elapsed', timer: 'poll' },
      {
        type: 'intent_answered',
        call: 'read',
        answer: { ok: true, value: asked },
      },
    );
    expect(polled.app.screen.at).toBe(step);
  });

  it('after "I have sent it" failed the same deposit stays, with a message', () => {
    const asked = afterAttempt('off_ramp', { status: 'requires_action', next_action: DEPOSIT });
    const same = anIntent({ flow: 'off_ramp', status: 'requires_action', next_action: DEPOSIT });
    const again = play(asked, submitted, {
      type: 'intent_answered',
      call: 'confirm',
      answer: { ok: true, value: same },
    });
    expect(again.app.screen).toMatchObject({
      at: 'deposit',
      isSending: false,
      refusal: { code: 'deposit_not_confirmed' },
    });
    expect(again.effects).toEqual([{ do: 'wait', timer: 'poll', ms: 1000 }]);
  });

  it('a deposit can be detected before the buyer confirms that it was sent', () => {
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

  it('a deposit is shown until it expires, corrected by the observed lead of the service’s clock', () => {
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

  it('a bank transfer continues automatically when the money has arrived', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: TRANSFER });
    expect(asked.app.screen).toMatchObject({ at: 'transfer', isLate: false });
    expect(asked.effects).toEqual([
      { do: 'wait', timer: 'poll', ms: 1000 },
      { do: 'wait_until', timer: 'deposit', at: Date.parse(TRANSFER.expires_at) },
    ]);
    expect(play(asked, submitted).effects).toEqual([]);
    const looked = play(asked, { type: 'elapsed', timer: 'poll' });
    expect(looked.effects).toEqual([{ do: 'read_intent', id: anIntent().id }]);
    const waiting = anIntent({ status: 'requires_action', next_action: TRANSFER });
    const still = play(looked, { type: 'intent_answered', call: 'read', answer: { ok: true, value: waiting } });
    expect([still.app.screen.at, still.effects]).toEqual(['transfer', [{ do: 'wait', timer: 'poll', ms: 1000 }]]);
    const arrived = anIntent({ status: 'succeeded' });
    const done = play(still, { type: 'intent_answered', call: 'read', answer: { ok: true, value: arrived } });
    expect(done.app.screen.at).toBe('success');
  });

  it('a bank transfer can be cancelled until it expires, and is not shown afterwards', () => {
    const asked = afterAttempt('on_ramp', { status: 'requires_action', next_action: TRANSFER });
    expect(play(asked, { type: 'elapsed', timer: 'deposit' }).app.screen).toMatchObject({ isLate: true });
    expect(play(asked, { type: 'cancelled' }).effects).toEqual([{ do: 'cancel_intent', id: anIntent().id }]);
  });

  it('an action can be cancelled, which cancels the attempt and returns to the order', () => {
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
