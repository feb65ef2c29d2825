import { describe, expect, it } from 'vitest';
import { keptOf, type Kept } from '../src/web/app/kept.js';
import { readKept } from '../src/web/host/kept-draft.js';
import {
  afterAttempt,
  answerQuotes,
  aSession,
  atOrder,
  atPayment,
  DECLINED,
  FIRST,
  OPENED,
  play,
  submitted,
  typed,
  WALLET,
} from './support/checkout.js';

const KEPT: Kept = { flow: 'on_ramp', method: 'bank_transfer', source: null, target: null, wallet: WALLET, refund: '' };

describe('what a reload leaves', () => {
  it('is the flow, the method and the addresses, as they were before the first attempt', () => {
    const chosen = play(
      atOrder({ flow: 'on_ramp' }),
      { type: 'chose_method', method: 'bank_transfer' },
      submitted,
      ...typed({ wallet: WALLET }),
    );
    expect(keptOf(chosen.app)).toEqual(KEPT);
    const { app } = answerQuotes(
      play(
        FIRST,
        { type: 'opened', opened: OPENED },
        { type: 'recalled', kept: KEPT },
        { type: 'session_answered', answer: { ok: true, value: aSession() } },
      ),
    );
    expect(app.screen).toMatchObject({
      at: 'order',
      draft: { flow: 'on_ramp', method: 'bank_transfer', wallet: WALLET },
    });
  });

  it('is nothing of the card, the account, or who somebody is', () => {
    for (const flow of ['on_ramp', 'off_ramp'] as const)
      expect(Object.keys(keptOf(atPayment(flow).app) ?? {})).toEqual([
        'flow',
        'method',
        'source',
        'target',
        'wallet',
        'refund',
      ]);
  });

  it('is nothing at all once the service knows of an attempt, at the end, and without a session', () => {
    expect(keptOf(afterAttempt('on_ramp', { status: 'processing' }).app)).toBeNull();
    expect(keptOf(afterAttempt('on_ramp', { status: 'succeeded' }).app)).toBeNull();
    const look = answerQuotes(play(FIRST, { type: 'opened', opened: { ...OPENED, isBound: false } }));
    expect(keptOf(look.app)).toBeNull();
    // After a failure there is something to type again.
    expect(keptOf(afterAttempt('on_ramp', { status: 'failed', failure: DECLINED }).app)).toMatchObject({
      wallet: WALLET,
    });
  });

  it('does not lead to a flow that the session is no longer open for', () => {
    const { app } = play(
      FIRST,
      { type: 'opened', opened: OPENED },
      { type: 'recalled', kept: KEPT },
      { type: 'session_answered', answer: { ok: true, value: aSession({ flow: 'swap' }) } },
    );
    expect(app.screen).toMatchObject({ at: 'order', draft: { flow: 'swap' } });
  });

  it.each([null, 'x', {}, { ...KEPT, flow: 'steal' }, { ...KEPT, wallet: 1 }])(
    'is not believed in another shape: %j',
    (value) => {
      expect(readKept(value)).toBeNull();
    },
  );

  it('is read as it was written', () => {
    expect(readKept(JSON.parse(JSON.stringify(KEPT)))).toEqual(KEPT);
    expect(readKept({ ...KEPT, method: 'cash' })).toEqual({ ...KEPT, method: null });
  });
});
