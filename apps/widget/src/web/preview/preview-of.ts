import type { App } from '../app/app.js';
import { reduce, type AppEvent } from '../app/reduce.js';
import { FLOWS } from '../app/terms-of.js';
import type { Branding, Capabilities, EmbedSession, Quote, Quotes } from '../wire/types.js';

const AT = Date.UTC(2030, 0, 1, 12);
const AMOUNT = '100.00';
const CURRENCY = 'EUR';

const CAPABILITIES: Capabilities = {
  flows: FLOWS,
  currencies: [{ code: CURRENCY, decimals: 2, flows: FLOWS }],
  assets: [{ code: 'USDC', networks: ['base'], flows: FLOWS }],
};

const SESSION: EmbedSession = {
  ...{ id: 'preview', status: 'open', amount: AMOUNT, currency: CURRENCY, flow: 'on_ramp' },
  ...{ target_token: 'USDC', target_network: 'base', wallet_address: null },
  ...{ return_url: 'https://shop.example/', cancel_url: null, intent_id: null, settled_intent_id: null },
  partner: { id: 'preview', display_name: '' },
  capabilities: CAPABILITIES,
};

const QUOTES: Quotes = {
  ...{ flow: 'on_ramp', amount: AMOUNT, currency: CURRENCY },
  rate_fetched_at: new Date(AT).toISOString(),
  expires_at: new Date(AT + 60_000).toISOString(),
  quotes: (['card', 'bank_transfer'] as const).map((method): Quote => ({
    id: method,
    payment_method: method,
    available: true,
    unavailable_reason: null,
    source: { amount: AMOUNT, currency: CURRENCY, network: null },
    destination: { amount: '106.521739', currency: 'USDC', network: 'base' },
    exchange_rate: '1.08695652',
    source_subtotal: '98.00',
    source_total: AMOUNT,
    fees: [{ type: 'service', amount: '2.00', currency: CURRENCY }],
    fee_total: '2.00',
    limits: { min_amount: '10.00', max_amount: '5000.00', currency: CURRENCY },
    estimated_settlement_seconds: 60,
    saved_method: null,
    provider: null,
  })),
};

/** The order step of an example purchase, in an appearance. */
export function previewOf(branding: Branding | null, locale: string): App {
  const opened: AppEvent = {
    type: 'opened',
    opened: {
      ...{ available: true, unavailableReason: null, unavailableDetail: null, isBound: true, flow: 'on_ramp' },
      capabilities: CAPABILITIES,
      ...{ theme: null, locale: null, partnerName: branding?.display_name ?? '', branding, cancelUrl: null },
      config: { amount: null, currency: null, targetToken: null, targetNetwork: null, returnUrl: null },
    },
  };
  const before = [opened, { type: 'session_answered', answer: { ok: true, value: SESSION } } as const].reduce<App>(
    (app, event) => reduce(app, event).app,
    {
      // Without the badge of test mode, whose appearance partners cannot change.
      settings: { kind: 'page', mode: 'live', locale, theme: null, partnerName: null, branding: null, wallets: [] },
      ...{ opened: null, terms: null, memory: null, resumeAt: null, leadMs: 0, cancelling: null },
      screen: { at: 'opening' },
    },
  );
  const ask = before.screen.at === 'order' ? before.screen.draft.ask : 0;
  return reduce(before, { type: 'quotes_answered', ask, at: AT, answer: { ok: true, value: QUOTES } }).app;
}
