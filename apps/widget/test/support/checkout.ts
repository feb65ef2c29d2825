import { loadChecksum } from '../../src/web/address/eip55.js';
import type { App, Opened } from '../../src/web/app/app.js';
import type { AppEffect } from '../../src/web/app/effect.js';
import { reduce, type AppEvent } from '../../src/web/app/reduce.js';
import { FLOWS } from '../../src/web/app/terms-of.js';
import type {
  Capabilities,
  EmbedSession,
  Flow,
  Intent,
  Quote,
  QuotesBody,
  Quotes,
  SavedMethod,
} from '../../src/web/wire/types.js';

await loadChecksum();

export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
export const CARD = { card_number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' } as const;
export const ACCOUNT = { iban: 'DE89 3704 0044 0532 0130 00', account_holder: 'Ada Lovelace' } as const;

export const US_ACCOUNT = {
  routing_number: '110 000 000',
  account_number: '0001-2345-6789',
  account_holder: 'Ada Lovelace',
} as const;

export const FIRST: App = {
  settings: { kind: 'frame', wallets: [], mode: 'test', locale: 'en', theme: null, partnerName: null, branding: null },
  opened: null,
  terms: null,
  memory: null,
  resumeAt: null,
  leadMs: 0,
  cancelling: null,
  screen: { at: 'opening' },
};

export const CAPABILITIES: Capabilities = {
  flows: FLOWS,
  currencies: ['EUR', 'USD'].map((code) => ({ code, decimals: 2, flows: FLOWS })),
  assets: [
    { code: 'USDC', networks: ['base', 'ethereum'], flows: FLOWS },
    { code: 'ETH', networks: ['ethereum'], flows: FLOWS },
  ],
};

export const OPENED: Opened = {
  available: true,
  unavailableReason: null,
  unavailableDetail: null,
  isBound: true,
  flow: null,
  capabilities: CAPABILITIES,
  theme: null,
  locale: null,
  partnerName: null,
  branding: null,
  cancelUrl: null,
  config: { amount: null, currency: null, targetToken: null, targetNetwork: null, returnUrl: null },
};

export function aSession(given: Partial<EmbedSession> = {}): EmbedSession {
  return {
    id: '68a1f0c2b7e94d1f3a5c7e90',
    status: 'open',
    amount: '100.00',
    currency: 'EUR',
    flow: null,
    target_token: null,
    target_network: null,
    wallet_address: null,
    return_url: 'https://shop.example/done',
    cancel_url: null,
    intent_id: null,
    settled_intent_id: null,
    partner: { id: 'prt', display_name: 'Acme' },
    capabilities: CAPABILITIES,
    ...given,
  };
}

const METHODS = { on_ramp: ['card', 'bank_transfer'], off_ramp: ['bank_transfer'], swap: ['crypto'] } as const;

export function someQuotes({
  flow,
  amount,
  currency,
  saved_method = null,
  provider = null,
}: Pick<QuotesBody, 'flow' | 'amount' | 'currency'> & Partial<QuotesBody>): Quotes {
  const fiat = { amount, currency, network: null };
  const usdc = { amount: '107.554347', currency: 'USDC', network: 'base' };
  const eth = { amount: '0.03333334', currency: 'ETH', network: 'ethereum' };
  const sides = {
    on_ramp: { source: fiat, destination: usdc },
    off_ramp: { source: usdc, destination: fiat },
    swap: { source: eth, destination: usdc },
  }[flow];
  const quotes = METHODS[flow].map((method): Quote => ({
    id: `quote_${method}`,
    payment_method: method,
    available: true,
    unavailable_reason: null,
    ...sides,
    exchange_rate: '1.08695652173913043',
    source_subtotal: sides.source.amount,
    source_total: sides.source.amount,
    fees: [{ type: 'service', amount: '1.00', currency: sides.source.currency }],
    fee_total: '1.00',
    limits: { min_amount: '10.00', max_amount: '5000.00', currency },
    estimated_settlement_seconds: 5,
    saved_method: method === 'card' ? saved_method : null,
    provider: method === 'card' && saved_method === null ? provider : null,
  }));
  return {
    flow,
    amount,
    currency,
    rate_fetched_at: '2030-01-01T12:00:00.000Z',
    expires_at: '2030-01-01T12:05:00.000Z',
    quotes,
  };
}

export function anIntent(given: Partial<Intent> = {}): Intent {
  return {
    id: '68a1f0d5c8fa5e204b6d8fa1',
    session_id: '68a1f0c2b7e94d1f3a5c7e90',
    flow: 'on_ramp',
    status: 'processing',
    amount: '100.00',
    currency: 'EUR',
    source_token: null,
    source_network: null,
    target_token: 'USDC',
    target_network: 'base',
    wallet_address: WALLET,
    payment_method: 'card',
    next_action: null,
    failure: null,
    tx_refid: 'gtx_4fq9btzw1klmx7cvn2rs',
    updated_at: '2030-01-01T12:00:00.000Z',
    expires_at: null,
    stages: null,
    transaction: null,
    ...given,
  };
}

export const DEPOSIT = {
  type: 'crypto_deposit',
  address: '0xbde834d567321102cf9a4c902dbbe751d24daaba',
  memo: null,
  network: 'base',
  asset: 'USDC',
  amount: '109.836958',
  expires_at: '2030-01-01T12:30:00.000Z',
} as const;

export const TRANSFER = {
  type: 'bank_transfer',
  iban: 'DE02120300000000202051',
  bic: 'BYLADEM1001',
  account_holder: 'Example Payments',
  reference: 'SBX0A1B2C3D4E5F',
  amount: '100.00',
  currency: 'EUR',
  expires_at: '2030-01-02T12:00:00.000Z',
} as const;

export const DECLINED = {
  code: 'payment_declined',
  stage: 'payment',
  message: 'The card was declined.',
  retryable: true,
} as const;

export interface Checkout {
  readonly app: App;
  /** The effects of the last event. */
  readonly effects: readonly AppEffect[];
  /** The effects of all events. */
  readonly done: readonly AppEffect[];
}

/** Applies events in order. */
export function play(from: App | Checkout, ...events: readonly AppEvent[]): Checkout {
  const start: Checkout = 'done' in from ? from : { app: from, effects: [], done: [] };
  return events.reduce<Checkout>(({ app, done }, event) => {
    const { app: next, effects } = reduce(app, event);
    return { app: next, effects, done: [...done, ...effects] };
  }, start);
}

export const AT = Date.UTC(2030, 0, 1, 12);

/** Answers the last quotes request. */
export function answerQuotes(checkout: Checkout): Checkout {
  const asked = checkout.done.findLast((effect) => effect.do === 'ask_quotes');
  if (asked === undefined) throw new Error('No prices were asked for.');
  return play(checkout, {
    type: 'quotes_answered',
    ask: asked.ask,
    at: AT,
    answer: { ok: true, value: someQuotes(asked.body) },
  });
}

/** A checkout at its order step, with quotes. */
export function atOrder(session: Partial<EmbedSession> = {}, opened: Partial<Opened> = {}): Checkout {
  return answerQuotes(
    play(
      FIRST,
      { type: 'opened', opened: { ...OPENED, ...opened } },
      { type: 'session_answered', answer: { ok: true, value: aSession(session) } },
    ),
  );
}

export const submitted: AppEvent = { type: 'submitted', at: AT };

export function typed(values: Readonly<Record<string, string>>): readonly AppEvent[] {
  return Object.entries(values).map(([field, value]) => ({ type: 'typed', field, value }));
}

/** A checkout at the payment step, with everything filled in. */
export function atPayment(flow: Flow, session: Partial<EmbedSession> = {}): Checkout {
  const order = atOrder({ ...session, flow });
  const wallets =
    flow === 'on_ramp'
      ? { wallet: WALLET }
      : flow === 'off_ramp'
        ? { refund: WALLET }
        : { wallet: WALLET, refund: WALLET };
  const account = session.currency === 'USD' ? US_ACCOUNT : ACCOUNT;
  const details = flow === 'on_ramp' ? CARD : flow === 'off_ramp' ? account : {};
  return play(order, submitted, ...typed(wallets), submitted, ...typed(details));
}

/** A checkout after the attempt was created. */
export function afterAttempt(flow: Flow, intent: Partial<Intent>, session: Partial<EmbedSession> = {}): Checkout {
  return play(atPayment(flow, session), submitted, {
    type: 'intent_answered',
    call: 'create',
    answer: { ok: true, value: anIntent({ flow, ...intent }) },
  });
}

export function refusedBy(code: string, fields: readonly string[] = []) {
  return {
    ok: false,
    refusal: { code, fields: fields.map((field) => ({ field, code: 'invalid' })), requestId: 'req_1' },
  } as const;
}

/** A saved card that can be charged without its security code. */
export function aCard(id: string, given: Partial<SavedMethod> = {}): SavedMethod {
  return {
    id,
    type: 'card',
    brand: 'visa',
    last4: '4242',
    expiry_month: 12,
    expiry_year: 2049,
    expired: false,
    cvc_required: false,
    ...given,
  };
}
