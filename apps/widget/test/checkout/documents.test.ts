import { describe, expect, it } from 'vitest';
import type { AppEvent } from '../../src/web/app/reduce.js';
import { exitOf } from '../../src/web/app/exit.js';
import { stepOf } from '../../src/web/app/step-of.js';
import type { DocumentSide, Intent, KycAction } from '../../src/web/wire/types.js';
import { afterAttempt, anIntent, play, refusedBy, submitted } from '../support/checkout.js';

const ACTION: KycAction = {
  type: 'kyc',
  level: 'document',
  fields: [],
  documents: ['front', 'back'],
  received: [],
  in_review: false,
};
const asks = (given: Partial<KycAction> = {}): Partial<Intent> => ({
  status: 'requires_action',
  next_action: { ...ACTION, ...given },
});
const FILE = new File(['%PDF-'], 'id.pdf', { type: 'application/pdf' });
const chose = (side: DocumentSide): AppEvent => ({ type: 'chose_picture', side, file: FILE });
const arrived = (side: DocumentSide): AppEvent => ({
  type: 'upload_answered',
  side,
  answer: { ok: true, value: anIntent(asks({ received: [side] })) },
});
const failed = (side: DocumentSide, code: string): AppEvent => ({
  type: 'upload_answered',
  side,
  answer: refusedBy(code),
});
const read = (intent: Partial<Intent>): AppEvent => ({
  type: 'intent_answered',
  call: 'read',
  answer: { ok: true, value: anIntent(intent) },
});
const id = anIntent().id;

describe('pictures of a document', () => {
  it('are uploaded when chosen, and submitted once all are received', () => {
    const first = play(afterAttempt('on_ramp', asks()), chose('front'));
    expect(first.effects).toEqual([{ do: 'upload_document', id, side: 'front', file: FILE }]);
    const early = play(first, { type: 'upload_progressed', side: 'front', share: 0.5 }, submitted);
    expect([early.app.screen, early.effects]).toMatchObject([{ isChecked: true, isSending: false }, []]);
    const sent = play(early, arrived('front'), chose('back'), arrived('back'), submitted);
    expect(sent.effects).toEqual([
      { do: 'confirm_intent', id, body: { action: 'kyc', kyc: { documents: 'submitted' } } },
    ]);
  });

  it('that were received before a reload need not be chosen again', () => {
    const { effects } = play(afterAttempt('on_ramp', asks({ received: ['front', 'back'] })), submitted);
    expect(effects).toMatchObject([{ do: 'confirm_intent' }]);
  });

  it('can be removed until they are sent, and only replaced afterwards', () => {
    const removed: AppEvent = { type: 'removed_picture', side: 'back' };
    const failing = play(
      afterAttempt('on_ramp', asks({ received: ['front'] })),
      chose('back'),
      failed('back', 'try_again'),
    );
    expect(play(failing, removed).app.screen).toMatchObject({ pictures: {}, received: ['front'] });
    const sent = play(failing, chose('back'), arrived('back'));
    expect(play(sent, removed, submitted).effects).toMatchObject([{ do: 'confirm_intent' }]);
    const replacing = play(sent, chose('back'), failed('back', 'try_again'));
    expect(play(replacing, submitted).effects).toEqual([]);
    expect(play(replacing, removed, submitted).effects).toMatchObject([{ do: 'confirm_intent' }]);
  });

  it('are sent again automatically after a lost connection, without affecting others', () => {
    const lost = play(
      afterAttempt('on_ramp', asks()),
      chose('front'),
      arrived('front'),
      chose('back'),
      failed('back', 'unreachable'),
    );
    expect(lost.app.screen).toMatchObject({ pictures: { front: { status: 'sent' }, back: { status: 'failed' } } });
    expect(play(lost, { type: 'went_online' }).effects).toEqual([
      { do: 'upload_document', id, side: 'back', file: FILE },
    ]);
    const refused = play(lost, chose('back'), failed('back', 'body_too_large'), { type: 'went_online' });
    expect(refused.effects).toEqual([]);
    expect(play(refused, { type: 'retried_picture', side: 'back' }).effects).toHaveLength(1);
  });

  it('that are no longer required lead to the current state of the session', () => {
    const { app } = play(afterAttempt('on_ramp', asks()), chose('front'), failed('front', 'intent_not_confirmable'));
    expect(app.screen.at).toBe('opening');
  });

  it('are not replaced during upload or submission', () => {
    const busy = play(afterAttempt('on_ramp', asks()), chose('front'), chose('front'));
    expect(busy.effects).toEqual([]);
    const received = afterAttempt('on_ramp', asks({ received: ['front', 'back'] }));
    expect(play(received, submitted, chose('back')).effects).toEqual([]);
  });
});

describe('a review', () => {
  const review = () => afterAttempt('on_ramp', asks({ in_review: true, received: ['front', 'back'] }));

  it('is polled until it is over, and can be left without cancelling anything', () => {
    const { app, effects } = review();
    expect([app.screen.at, effects]).toMatchObject(['progress', [{ do: 'wait', timer: 'poll' }]]);
    expect(exitOf(app)).toMatchObject({ isPaid: true, isShut: false, url: 'https://shop.example/done' });
    expect(stepOf(app)).toEqual({ at: 3, of: 4 });
    const again = play(review(), { type: 'elapsed', timer: 'poll' }, read(asks({ in_review: true })));
    expect(again.app.screen.at).toBe('progress');
    expect(play(again, read(asks({ documents: ['back'] }))).app.screen).toMatchObject({
      at: 'documents',
      sides: ['back'],
    });
    const failure = { code: 'kyc_rejected', stage: 'kyc', message: 'Rejected.', retryable: false };
    expect(play(again, read({ status: 'failed', failure })).app.screen).toMatchObject({ at: 'failure', wayOn: null });
  });

  it('can be cancelled by the buyer, unlike a payment in progress', () => {
    const cancelled = play(review(), { type: 'cancelled' });
    expect(cancelled.effects).toEqual([{ do: 'cancel_intent', id }]);
    const answer = { ok: true, value: anIntent({ status: 'cancelled' }) } as const;
    expect(play(cancelled, { type: 'intent_answered', call: 'cancel', answer }).app.screen.at).toBe('order');
    expect(play(afterAttempt('on_ramp', {}), { type: 'cancelled' }).effects).toEqual([]);
  });
});
