import { describe, expect, it } from 'vitest';
import {
  answerQuotes,
  aSession,
  AT,
  atOrder,
  CAPABILITIES,
  FIRST,
  OPENED,
  play,
  refusedBy,
  someQuotes,
} from '../support/checkout.js';

describe('the order', () => {
  it('requests quotes for the session’s terms, not the page’s', () => {
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

  it('keeps the session’s terms when the page sends others later', () => {
    const order = atOrder();
    const later = play(order, { type: 'configured', config: { amount: '1.00', currency: 'USD' } });
    expect([later.app.terms, later.app.screen, later.effects]).toEqual([order.app.terms, order.app.screen, []]);
  });

  it('follows the page’s configuration if there is no session', () => {
    const look = answerQuotes(play(FIRST, { type: 'opened', opened: { ...OPENED, isBound: false } }));
    const { effects } = play(look, { type: 'configured', config: { amount: '7.00' } });
    expect(effects).toEqual([expect.objectContaining({ do: 'ask_quotes' })]);
    expect(effects[0]).toMatchObject({ body: { amount: '7.00', currency: 'EUR' } });
  });

  it('offers the partner’s flows, or only the fixed one', () => {
    const capabilities = { ...CAPABILITIES, flows: ['on_ramp', 'off_ramp'] } as const;
    expect(atOrder({ capabilities }).app.terms?.flows).toEqual(['on_ramp', 'off_ramp']);
    const locked = atOrder({ flow: 'off_ramp' });
    expect(locked.app.terms?.flows).toEqual(['off_ramp']);
    expect(play(locked, { type: 'chose_flow', flow: 'swap' }).app.screen).toEqual(locked.app.screen);
    expect(atOrder({ flow: 'off_ramp' }, { flow: 'on_ramp' }).app.terms?.flow).toBe('on_ramp');
  });

  it('requests new quotes when they expire, measured from their arrival and independent of the service’s clock', () => {
    const order = atOrder();
    expect(order.effects).toEqual([{ do: 'wait', timer: 'quotes', ms: 300_000 }]);
    expect(order.app.screen).toMatchObject({ draft: { lapsesAt: AT + 300_000 } });
    const lapsed = play(order, { type: 'elapsed', timer: 'quotes' });
    expect(lapsed.effects).toEqual([expect.objectContaining({ do: 'ask_quotes', ask: 2 })]);
  });

  it('announces an automatic price change, but not one that the buyer requested', () => {
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

  it('ignores the answer to an outdated request', () => {
    const asked = play(atOrder(), { type: 'chose_flow', flow: 'swap' });
    const late = play(asked, { type: 'quotes_answered', ask: 1, at: AT, answer: refusedBy('corridor_not_supported') });
    expect(late.app.screen).toEqual(asked.app.screen);
  });

  it('shows why there is no price, and lets the buyer retry', () => {
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
