import type { AppEvent } from '../../src/web/app/reduce.js';
import { messagesOf } from '../../src/web/i18n/messages.js';
import { unservedText } from '../../src/web/screens/outcome/unserved-text.js';
import type { EmbedSession } from '../../src/web/wire/types.js';
import { describe, expect, it } from 'vitest';
import {
  afterAttempt,
  anIntent,
  answerQuotes,
  aSession,
  atOrder,
  atPayment,
  DEPOSIT,
  FIRST,
  OPENED,
  play,
  refusedBy,
  submitted,
} from '../support/checkout.js';

describe('opening', () => {
  it('reads the session before it shows anything', () => {
    const { app, effects } = play(FIRST, { type: 'opened', opened: OPENED });
    expect(app.screen.at).toBe('opening');
    expect(effects).toEqual([{ do: 'read_session' }]);
  });

  it('resumes the session’s intent at its current step', () => {
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
    'shows that the session is %s, and the link back to the shop',
    (status) => {
      const opened = { ...OPENED, available: false, unavailableReason: `session_${status}` };
      const { app } = play(
        FIRST,
        { type: 'opened', opened },
        { type: 'session_answered', answer: { ok: true, value: aSession({ status }) } },
      );
      expect(app.screen).toEqual({ at: 'ended', status, settled: null });
      expect(app.terms?.returnUrl).toBe('https://shop.example/done');
    },
  );

  it('shows the receipt of a completed session, and posts nothing to the page', () => {
    const opened = { ...OPENED, available: false, unavailableReason: 'session_completed' };
    const session = aSession({ status: 'completed', settled_intent_id: 'i1' });
    const found = play(
      FIRST,
      { type: 'opened', opened },
      { type: 'session_answered', answer: { ok: true, value: session } },
    );
    expect(found.effects).toEqual([{ do: 'read_intent', id: 'i1' }]);
    const settled = anIntent({ status: 'succeeded' });
    const shown = play(found, { type: 'intent_answered', call: 'read', answer: { ok: true, value: settled } });
    expect([shown.app.screen, shown.effects]).toEqual([{ at: 'ended', status: 'completed', settled }, []]);
    const lost = play(found, { type: 'intent_answered', call: 'read', answer: refusedBy('unreachable') });
    expect(lost.app.screen).toEqual({ at: 'ended', status: 'completed', settled: null });
  });

  it('shows why it is unavailable, and sends no requests', () => {
    const opened = { ...OPENED, available: false, unavailableReason: 'quota_exhausted' };
    const { app, effects } = play(FIRST, { type: 'opened', opened });
    expect([app.screen, effects]).toEqual([{ at: 'unavailable', reason: 'quota_exhausted', detail: null }, []]);
  });

  it.each([
    [
      'en',
      { term: 'currency', code: 'not_served', value: 'GBP' },
      'This order is in GBP, which is not supported here.',
    ],
    [
      'en',
      { term: 'target_network', code: 'not_served', value: 'solana' },
      'This order is for the network solana, which is not supported here.',
    ],
    [
      'en',
      { term: 'amount', code: 'above_maximum', value: '20000', max_amount: '10000.00' },
      'This order is above the maximum of €10,000.00.',
    ],
    [
      'de',
      { term: 'amount', code: 'below_minimum', value: '0.5', min_amount: '1.00' },
      'Diese Bestellung liegt unter dem Mindestbetrag von 1,00\u00a0€.',
    ],
    [
      'ar',
      { term: 'amount', code: 'too_many_decimals', value: '77.123456', decimals: 2 },
      'لا يمكن دفع 77.123456 EUR: الحد الأقصى للخانات العشرية بعملة EUR هو 2.',
    ],
    ['en', { term: 'country_code', code: 'not_served', value: 'KP' }, null],
  ] as const)('names in %s the term of the order that no provider supports: %j', async (locale, given, text) => {
    const detail = { currency: 'EUR', min_amount: null, max_amount: null, decimals: null, ...given };
    expect(unservedText(detail, locale, await messagesOf(locale))).toBe(text);
  });

  it('uses the page’s return URL, otherwise that of the session', () => {
    const config = { ...OPENED.config, returnUrl: 'https://shop.example/elsewhere' };
    expect(atOrder({}, { config }).app.terms?.returnUrl).toBe('https://shop.example/elsewhere');
    expect(atOrder().app.terms?.returnUrl).toBe('https://shop.example/done');
  });

  it.each([
    ['de_AT', 'de-AT'],
    ['ar', 'ar'],
    ['sv', 'en'],
    ['not a locale', 'en'],
  ])('uses a supported locale of the page: %s', (locale, used) => {
    expect(atOrder({}, { locale }).app.settings.locale).toBe(used);
  });

  it.each([
    ['de', 'de-CH'],
    ['de-AT', 'de-AT'],
    ['en', 'en'],
    [null, 'de-CH'],
  ])('keeps the browser’s region if the page names only the same language: %s', (locale, used) => {
    const first = { ...FIRST, settings: { ...FIRST.settings, locale: 'de-CH' } };
    const { app } = play(first, { type: 'opened', opened: { ...OPENED, locale } });
    expect(app.settings.locale).toBe(used);
  });

  it('treats an attempt with an unknown action as in progress', () => {
    const action = { type: 'of_tomorrow' } as unknown as typeof DEPOSIT;
    const { app, effects } = afterAttempt('on_ramp', { status: 'requires_action', next_action: action });
    expect(app.screen.at).toBe('progress');
    expect(effects).toEqual([{ do: 'wait', timer: 'poll', ms: 1000 }]);
    const status = 'of_tomorrow' as 'created';
    expect(afterAttempt('on_ramp', { status }).app.screen.at).toBe('progress');
  });

  it('that failed can be retried by a reload', () => {
    const broken = play(FIRST, { type: 'session_answered', answer: refusedBy('unreachable') });
    expect(broken.app.screen.at).toBe('broken');
    expect(play(broken, { type: 'reloaded' }).effects).toEqual([{ do: 'reload' }]);
  });

  it('happens once: a second configuration is ignored', () => {
    const once = play(FIRST, { type: 'opened', opened: OPENED });
    const twice = play(once, { type: 'opened', opened: { ...OPENED, flow: 'swap' } });
    expect([twice.app, twice.effects]).toEqual([once.app, []]);
  });

  it('without a session shows prices for the page’s configuration, and sells nothing', () => {
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

describe('an idle tab', () => {
  const looked = { type: 'looked_again' } as const;
  const session = (given: Partial<EmbedSession>): AppEvent => ({
    type: 'session_answered',
    answer: { ok: true, value: aSession(given) },
  });

  it.each([
    ['order', atOrder({ flow: 'on_ramp' })],
    ['wallet', play(atOrder({ flow: 'on_ramp' }), submitted)],
    ['payment', atPayment('on_ramp')],
  ] as const)('notices a payment in another tab: %s', (at, idle) => {
    expect(play(idle, looked).effects).toEqual([{ do: 'read_session' }]);
    expect(play(idle, looked, session({ flow: 'on_ramp' })).app.screen).toEqual(idle.app.screen);
    for (const given of [{ status: 'completed' }, { intent_id: 'i1' }] as const)
      expect(play(idle, looked, session(given)).effects).toEqual([{ do: 'read_session' }]);
    expect(idle.app.screen.at).toBe(at);
  });

  it('does not read the session while its own payment is being sent', () => {
    expect(play(atPayment('on_ramp'), submitted, looked).effects).toEqual([]);
  });
});
