import { describe, expect, it } from 'vitest';
import { stepOf } from '../src/web/app/step-of.js';
import { afterAttempt, atOrder, FIRST, play } from './support/checkout.js';

describe('the step indicator', () => {
  it('counts the steps of the order', () => {
    expect(stepOf(atOrder().app)).toEqual({ at: 1, of: 4 });
    const asked = play(atOrder(), { type: 'submitted', at: 0 });
    expect([asked.app.screen.at, stepOf(asked.app)]).toEqual(['wallet', { at: 2, of: 4 }]);
    const { app } = afterAttempt('on_ramp', { status: 'processing' });
    const bound = app.terms === null ? null : { ...app.terms, walletAddress: '0x1' };
    expect(stepOf({ ...app, terms: bound })).toEqual({ at: 3, of: 3 });
  });

  it('shows nothing before there is an order, and nothing after a failure', () => {
    expect(stepOf(FIRST)).toBeNull();
    const failure = { code: 'kyc_rejected', stage: 'kyc', message: '', retryable: true };
    expect(stepOf(afterAttempt('on_ramp', { status: 'failed', failure }).app)).toBeNull();
  });
});
