import { describe, expect, it } from 'vitest';
import { keptOf, type SavedForm } from '../src/web/app/saved-form.js';
import { readKept } from '../src/web/host/kept-draft.js';
import type { EmbedSession } from '../src/web/wire/types.js';
import {
  afterAttempt,
  answerQuotes,
  aSession,
  AT,
  atOrder,
  atPayment,
  DECLINED,
  FIRST,
  OPENED,
  play,
  refusedBy,
  submitted,
  typed,
  WALLET,
} from './support/checkout.js';

const KEPT: SavedForm = {
  step: 'wallet',
  flow: 'on_ramp',
  method: 'bank_transfer',
  source: null,
  target: null,
  wallet: WALLET,
  refund: '',
};

/** Reloads the page, up to the quotes request. */
const reloaded = (kept: SavedForm, session: Partial<EmbedSession> = {}) =>
  play(
    FIRST,
    { type: 'opened', opened: OPENED },
    { type: 'recalled', kept },
    { type: 'session_answered', answer: { ok: true, value: aSession(session) } },
  );

describe('the form kept across a reload', () => {
  it('contains step, flow, method and addresses from before the first attempt', () => {
    const chosen = play(
      atOrder({ flow: 'on_ramp' }),
      { type: 'chose_method', method: 'bank_transfer' },
      submitted,
      ...typed({ wallet: WALLET }),
    );
    expect(keptOf(chosen.app)).toEqual(KEPT);
    const { app } = answerQuotes(reloaded(KEPT));
    expect(app.screen).toMatchObject({
      at: 'wallet',
      errors: {},
      draft: { flow: 'on_ramp', method: 'bank_transfer', wallet: WALLET },
    });
  });

  it('restores the step, but not beyond invalid input, and prices still expire there', () => {
    const paying = answerQuotes(reloaded({ ...KEPT, step: 'payment', method: 'card' }));
    expect(paying.app.screen).toMatchObject({ at: 'payment', form: { values: { card_number: '' } } });
    expect(paying.effects).toContainEqual({ do: 'wait', timer: 'quotes', ms: 300_000 });
    expect(answerQuotes(reloaded({ ...KEPT, step: 'payment', wallet: '0x12' })).app.screen.at).toBe('wallet');
    expect(answerQuotes(reloaded({ ...KEPT, step: 'order' })).app.screen.at).toBe('order');
    const bound = reloaded({ ...KEPT, wallet: '' }, { wallet_address: WALLET });
    expect(answerQuotes(bound).app.screen.at).toBe('payment');
  });

  it('is kept while the price is requested, and leads to the order if there is none', () => {
    const waiting = reloaded(KEPT);
    expect(keptOf(waiting.app)).toEqual(KEPT);
    const ask = waiting.app.screen.at === 'resuming' ? waiting.app.screen.draft.ask : 0;
    const refused = (code: string) => play(waiting, { type: 'quotes_answered', ask, at: AT, answer: refusedBy(code) });
    expect(refused('corridor_not_supported').app.screen).toMatchObject({
      at: 'order',
      draft: { wallet: WALLET, refusal: { code: 'corridor_not_supported' } },
    });
    expect(refused('session_not_open').effects).toEqual([{ do: 'read_session' }]);
  });

  it('restores the step once: a buyer who goes back to the order stays there', () => {
    const back = play(answerQuotes(reloaded(KEPT)), { type: 'went_back' });
    expect(back.app).toMatchObject({ resumeAt: null, screen: { at: 'order' } });
  });

  it('contains no card, account or identity data', () => {
    for (const flow of ['on_ramp', 'off_ramp'] as const)
      expect(Object.keys(keptOf(atPayment(flow).app) ?? {})).toEqual([
        'step',
        'flow',
        'method',
        'source',
        'target',
        'wallet',
        'refund',
      ]);
  });

  it('is empty once there is an attempt, at the end, and without a session', () => {
    expect(keptOf(afterAttempt('on_ramp', { status: 'processing' }).app)).toBeNull();
    expect(keptOf(afterAttempt('on_ramp', { status: 'succeeded' }).app)).toBeNull();
    const look = answerQuotes(play(FIRST, { type: 'opened', opened: { ...OPENED, isBound: false } }));
    expect(keptOf(look.app)).toBeNull();
    // After a failure the buyer has a form to fill in again, so it is kept.
    const kept = (code: string) =>
      keptOf(afterAttempt('on_ramp', { status: 'failed', failure: { ...DECLINED, code } }).app);
    expect(kept('payment_declined')).toMatchObject({ step: 'payment', wallet: WALLET });
    expect(kept('settlement_error')).toMatchObject({ step: 'order', wallet: WALLET });
  });

  it('does not restore a flow that the session no longer allows', () => {
    const { app } = reloaded(KEPT, { flow: 'swap' });
    expect(app.screen).toMatchObject({ at: 'order', draft: { flow: 'swap' } });
  });

  it.each([null, 'x', {}, { ...KEPT, flow: 'steal' }, { ...KEPT, wallet: 1 }])(
    'is ignored if malformed: %j',
    (value) => {
      expect(readKept(value)).toBeNull();
    },
  );

  it('is read back as written', () => {
    expect(readKept(JSON.parse(JSON.stringify(KEPT)))).toEqual(KEPT);
    expect(readKept({ ...KEPT, method: 'cash', step: 'done' })).toEqual({ ...KEPT, method: null, step: 'order' });
  });
});
