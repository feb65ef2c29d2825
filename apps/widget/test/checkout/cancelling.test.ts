import { describe, expect, it } from 'vitest';
import type { App } from '../../src/web/app/app.js';
import {
  anIntent,
  aSession,
  atOrder,
  atPayment,
  FIRST,
  OPENED,
  play,
  refusedBy,
  submitted,
  TRANSFER,
  type Checkout,
} from '../support/checkout.js';

const CART = 'https://shop.example/cart';
const CONFIRMED = [{ type: 'cancel_asked' }, { type: 'cancel_confirmed' }] as const;
const DONE = { type: 'cancel_answered', answer: { ok: true, value: aSession({ status: 'cancelled' }) } } as const;

const refused = (code: string) => ({ type: 'cancel_answered', answer: refusedBy(code) }) as const;
const onPage = ({ app }: Checkout): App => ({ ...app, settings: { ...app.settings, kind: 'page' } });

describe('cancelling the order', () => {
  it('asks for confirmation, and changes nothing if the order is kept', () => {
    const asked = play(atOrder(), { type: 'cancel_asked' });
    expect([asked.app.cancelling, asked.effects]).toEqual([{ isSending: false, refusal: null }, []]);
    const kept = play(asked, { type: 'cancel_withdrawn' });
    expect([kept.app, kept.effects]).toEqual([atOrder().app, []]);
  });

  it('sends one request, however often it is confirmed', () => {
    expect(play(atOrder(), ...CONFIRMED).effects).toEqual([{ do: 'cancel_session' }]);
    expect(play(atOrder(), ...CONFIRMED, { type: 'cancel_confirmed' }).effects).toEqual([]);
    expect(play(atOrder(), { type: 'cancel_confirmed' }).effects).toEqual([]);
  });

  it('leaves the full page for the cancel URL', () => {
    const done = play(onPage(atPayment('on_ramp', { cancel_url: CART })), ...CONFIRMED, DONE);
    expect(done.effects).toEqual([{ do: 'leave', url: CART }]);
    expect(done.app.screen).toEqual({ at: 'ended', status: 'cancelled', settled: null });
  });

  it('in a frame is posted to the embedding page', () => {
    expect(play(atOrder(), ...CONFIRMED, DONE).effects).toEqual([
      { do: 'post', message: { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } } },
    ]);
  });

  it('reports a payment in progress, and shows its state', () => {
    const answered = play(atOrder(), ...CONFIRMED, refused('session_processing'));
    expect(answered.effects).toEqual([{ do: 'read_session' }]);
    const moving = { ok: true, value: anIntent({ id: 'i1', status: 'processing' }) } as const;
    const shown = play(
      answered,
      { type: 'session_answered', answer: { ok: true, value: aSession({ intent_id: 'i1' }) } },
      { type: 'intent_answered', call: 'read', answer: moving },
    );
    expect(shown.app.screen.at).toBe('progress');
    expect(shown.app.cancelling?.refusal?.code).toBe('session_processing');
  });

  it('shows the outcome of an order that had already ended', () => {
    const ended = play(atOrder(), ...CONFIRMED, refused('session_not_open'), {
      type: 'session_answered',
      answer: { ok: true, value: aSession({ status: 'expired' }) },
    });
    expect([ended.app.screen.at, ended.app.cancelling]).toEqual(['ended', null]);
  });

  it.each(['unreachable', 'internal_error', 'rate_limit_exceeded'])(
    'changes nothing when it fails with %s, and can be retried',
    (code) => {
      const failed = play(atOrder(), ...CONFIRMED, refused(code));
      expect([failed.app.screen, failed.effects]).toEqual([atOrder().app.screen, []]);
      expect(failed.app.cancelling).toMatchObject({ isSending: false, refusal: { code } });
      expect(play(failed, { type: 'cancel_confirmed' }).effects).toEqual([{ do: 'cancel_session' }]);
    },
  );

  it('is not offered once money is moving, or may be by a bank transfer', () => {
    for (const given of [{ status: 'processing' }, { status: 'requires_action', next_action: TRANSFER }] as const) {
      const answer = { ok: true, value: anIntent(given) } as const;
      const paying = play(atPayment('on_ramp'), submitted, { type: 'intent_answered', call: 'create', answer });
      expect(play(paying, { type: 'cancel_asked' }).app.cancelling).toBeNull();
    }
  });

  it('is not offered without a session', () => {
    const looking = play(FIRST, { type: 'opened', opened: { ...OPENED, isBound: false } });
    expect(play(looking, { type: 'cancel_asked' }).app.cancelling).toBeNull();
  });
});
