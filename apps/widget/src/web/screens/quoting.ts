import type { Destination, Effect, ScreenEvent } from '../app/event.js';
import type { Draft, Terms } from '../app/screen.js';
import type { Reading } from '../forms/read.js';
import { readAmount } from '../money/read-amount.js';
import type { ApiResult } from '../wire/refusal.js';
import { decimalsOf } from './order/choices.js';
import { pricing } from './payment/saved-cards-state.js';
import type { Flow, Quote, QuoteBody, Quotes } from '../wire/types.js';

/** A draft and the effects that keep its quotes fresh. Shared by the order, wallet and payment steps. */
export interface Quoting {
  readonly draft: Draft;
  readonly effects: readonly Effect[];
}

/** The draft before anything has been chosen. */
export const EMPTY_DRAFT: Omit<Draft, 'flow'> = {
  amount: null,
  currency: null,
  source: null,
  target: null,
  ask: 0,
  isAsking: false,
  quotes: null,
  limits: [],
  lapsesAt: null,
  isRenewed: false,
  refusal: null,
  method: null,
  wallet: '',
  refund: '',
  isRemembered: false,
  card: null,
  component: null,
  pricedFor: null,
  pricedBy: null,
  unpayable: [],
  lastFour: null,
  deposit: null,
};

/** Requests quotes for a flow. The typed input of the previous draft is kept. */
export function askQuotes(terms: Terms, flow: Flow, before: Draft | null): Quoting {
  const kept =
    before?.flow === flow
      ? before
      : { ...(before ?? EMPTY_DRAFT), quotes: null, lapsesAt: null, method: null, source: null, target: null };
  const asking: Draft = { ...kept, flow, ask: kept.ask + 1, isAsking: true, isRenewed: false, refusal: null };
  const amount = amountOf(terms, asking);
  // Without the buyer's amount there is no price: that of another amount would be taken for it.
  if ('error' in amount) return { draft: { ...asking, isAsking: false, quotes: null, lapsesAt: null }, effects: [] };
  const unpayable = kept.quotes === null ? [] : kept.unpayable;
  const priced = pricing(terms, { ...asking, unpayable });
  const draft: Draft = { ...asking, unpayable, pricedFor: priced.saved_method, pricedBy: priced.provider };
  return { draft, effects: [{ do: 'ask_quotes', ask: draft.ask, body: { ...quoteBody(terms, draft), ...priced } }] };
}

/** Retries at this interval while there is no connection. */
export const ASK_AGAIN = { do: 'wait', timer: 'poll', ms: 5000 } as const;

/** Handles the events that concern quotes; null for other events. */
export function keepQuoting(terms: Terms, draft: Draft, event: ScreenEvent): Quoting | null {
  switch (event.type) {
    case 'quotes_answered':
      return event.ask === draft.ask ? answered(draft, event.answer, event.at) : null;
    case 'elapsed':
      return event.timer === 'quotes' && !draft.isAsking ? askQuotes(terms, draft.flow, draft) : null;
    default:
      return null;
  }
}

/** The destination after quotes were refused: the order step, which shows the reason, or the session if it has ended. */
export function withoutPrice(draft: Draft): Destination {
  return draft.refusal?.code === 'session_not_open' ? { to: 'session' } : { to: 'order', draft };
}

/** The quote of the chosen payment method; null if there is none. */
export function chosenQuote({ quotes, method }: Draft): Quote | null {
  return quotes?.quotes.find((quote) => quote.available && quote.payment_method === method) ?? null;
}

/** The amount of an order: that of the terms, unless the buyer has typed another one and may do so. */
export function amountOf(terms: Terms, { amount, currency }: Draft): Reading {
  if (terms.sessionId !== null || amount === null) return { value: terms.amount, shown: amount ?? terms.amount };
  return readAmount(amount, { currency: currency ?? terms.currency, decimals: decimalsOf(terms, currency) });
}

/** The body of a quotes request. Values fixed by the terms take precedence over the buyer's choices. */
export function quoteBody(terms: Terms, draft: Draft): QuoteBody {
  const { flow, currency, source, target } = draft;
  const amount = amountOf(terms, draft);
  const hasTarget = flow !== 'off_ramp';
  const isBound = terms.sessionId !== null;
  return {
    flow,
    amount: 'error' in amount ? '' : amount.value,
    currency: (isBound ? null : currency) ?? terms.currency,
    source_token: source?.token ?? null,
    source_network: source?.network ?? null,
    target_token: hasTarget ? (terms.targetToken ?? target?.token ?? null) : null,
    target_network: hasTarget ? (terms.targetNetwork ?? target?.network ?? null) : null,
    payment_method: null,
    country_code: null,
  };
}

function answered(draft: Draft, answer: ApiResult<Quotes>, at: number): Quoting {
  if (!answer.ok)
    return { draft: { ...draft, isAsking: false, quotes: null, lapsesAt: null, refusal: answer.refusal }, effects: [] };
  const quotes = answer.value;
  // Uses the lifetime of the quotes, since the clocks of the service and this device may differ.
  const lifeMs = Math.max(0, Date.parse(quotes.expires_at) - Date.parse(quotes.rate_fetched_at));
  const answered: Draft = {
    ...draft,
    isAsking: false,
    quotes,
    limits: quotes.quotes.map(({ limits }) => limits),
    lapsesAt: at + lifeMs,
    refusal: null,
    method: methodOf(draft, quotes),
    unpayable: unpayableOf(draft, quotes),
  };
  return {
    draft: { ...answered, isRenewed: hasChanged(chosenQuote(draft), chosenQuote(answered)) },
    effects: [{ do: 'wait', timer: 'quotes', ms: lifeMs }],
  };
}

/** A saved card cannot pay this order if quotes were requested for it and none names it. */
function unpayableOf({ pricedFor, unpayable }: Draft, { quotes }: Quotes): Draft['unpayable'] {
  const isPayable = pricedFor === null || quotes.some(({ saved_method }) => saved_method === pricedFor);
  return isPayable ? unpayable : [...unpayable, pricedFor];
}

/** Whether the price differs from the one that the buyer has seen. */
function hasChanged(before: Quote | null, after: Quote | null): boolean {
  if (before === null || after === null) return false;
  return before.source_total !== after.source_total || before.destination.amount !== after.destination.amount;
}

/** The chosen payment method if it is still available, otherwise the first available one. */
function methodOf({ method }: Draft, { quotes }: Quotes): Draft['method'] {
  const serving = quotes.filter((quote) => quote.available);
  return (serving.find((quote) => quote.payment_method === method) ?? serving[0])?.payment_method ?? null;
}
