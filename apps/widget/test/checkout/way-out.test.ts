import { describe, expect, it } from 'vitest';
import type { App } from '../../src/web/app/app.js';
import { exitOf } from '../../src/web/app/exit.js';
import {
  afterAttempt,
  anIntent,
  aSession,
  AT,
  atOrder,
  atPayment,
  DEPOSIT,
  play,
  refusedBy,
  submitted,
  TRANSFER,
  type Checkout,
} from '../support/checkout.js';

describe('leaving the checkout', () => {
  it('in a frame is posted to the embedding page', () => {
    expect(play(atOrder(), { type: 'closed' }).effects).toEqual([
      { do: 'post', message: { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } } },
    ]);
  });

  const onPage = ({ app }: Checkout): App => ({ ...app, settings: { ...app.settings, kind: 'page' } });
  const withCart = { cancel_url: 'https://shop.example/cart' };

  it('is blocked while it is unknown whether the buyer has paid', () => {
    const paying = play(atPayment('on_ramp', withCart), submitted);
    expect(paying.effects).toContainEqual(expect.objectContaining({ do: 'create_intent' }));
    const left = play(onPage(paying), { type: 'cancel_asked' });
    expect([exitOf(left.app).isShut, left.app.cancelling]).toEqual([true, null]);
    const lost = play(paying, { type: 'intent_answered', call: 'create', answer: refusedBy('unreachable') });
    const stillUnknown = play(onPage(lost), { type: 'cancel_asked' });
    expect([exitOf(stillUnknown.app).isShut, stillUnknown.app.cancelling]).toEqual([true, null]);
    const answer = { ok: true, value: aSession(withCart) } as const;
    const notPaid = play(lost, ...[1, 2, 3, 4, 5].map(() => ({ type: 'session_answered', answer }) as const));
    expect(exitOf(notPaid.app)).toMatchObject({ isShut: false, isCancellable: true });
  });

  it('leads to the return URL once money is moving, since the cancel URL means that nothing was bought', () => {
    const intent = anIntent({ status: 'processing' });
    const paying = play(atPayment('on_ramp', withCart), submitted);
    const progress = play(paying, { type: 'intent_answered', call: 'create', answer: { ok: true, value: intent } });
    expect(exitOf(progress.app).isPaid).toBe(true);
    expect(play(onPage(progress), { type: 'closed' }).effects).toEqual([
      { do: 'leave', url: 'https://shop.example/done' },
    ]);
  });

  it.each([
    ['bank transfer', 'on_ramp', TRANSFER],
    ['deposit', 'off_ramp', DEPOSIT],
  ] as const)(
    'does not cancel a %s, which may already be sent, and leads to the return URL',
    (_, flow, next_action) => {
      const asked = afterAttempt(flow, { status: 'requires_action', next_action }, withCart);
      expect(exitOf(asked.app)).toMatchObject({ isPaid: true, isCancellable: false });
      expect(play(onPage(asked), { type: 'closed' }).effects).toEqual([
        { do: 'leave', url: 'https://shop.example/done' },
      ]);
    },
  );

  it.each(['expired_embed_token', 'invalid_embed_token'])(
    'is the only option once the token is invalid: %s',
    (code) => {
      const { app } = play(atOrder(), { type: 'quotes_answered', ask: 1, at: AT, answer: refusedBy(code) });
      expect(app.screen).toMatchObject({ at: 'broken', refusal: { code } });
    },
  );
});
