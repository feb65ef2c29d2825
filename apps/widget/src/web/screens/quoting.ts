import type { Destination, Effect, ScreenEvent } from '../app/event.js';
import type { Draft, Terms } from '../app/screen.js';
import { readAmount } from '../money/read-amount.js';
import type { ApiResult } from '../wire/refusal.js';
import { decimalsOf } from './order/choices.js';
import { pricing } from './payment/saved-cards-state.js';
import type { Flow, Quote, QuoteBody, Quotes } from '../wire/types.js';

/** Prices are kept for three screens, so what keeps them fresh is here. */
export interface Quoting {
  readonly draft: Draft;
  readonly effects: readonly Effect[];
}

/** Before anything has been chosen. */
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
  deposit: null,
};

/** Asks for prices of a flow. What was typed before stays. */
export function askQuotes(terms: Terms, flow: Flow, before: Draft | null): Quoting {
  const kept =
    before?.flow === flow
      ? before
      : { ...(before ?? EMPTY_DRAFT), quotes: null, lapsesAt: null, method: null, source: null, target: null };
  const asking: Draft = { ...kept, flow, ask: kept.ask + 1, isAsking: true, isRenewed: false, refusal: null };
  const unpayable = kept.quotes === null ? [] : kept.unpayable;
  const priced = pricing(terms, { ...asking, unpayable });
  const draft: Draft = { ...asking, unpayable, pricedFor: priced.saved_method, pricedBy: priced.provider };
  return { draft, effects: [{ do: 'ask_quotes', ask: draft.ask, body: { ...quoteBody(terms, draft), ...priced } }] };
}

/** While there is no connection. */
export const ASK_AGAIN = { do: 'wait', timer: 'poll', ms: 5000 } as const;

/** What an event means for the prices; null when it means nothing to them. */
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

/** Where there is no price there is nothing to do but to say why; the outcome of a session that has ended is looked up. */
export function withoutPrice(draft: Draft): Destination {
  return draft.refusal?.code === 'session_not_open' ? { to: 'session' } : { to: 'order', draft };
}

/** The price that is to be paid; null while there is none. */
export function chosenQuote({ quotes, method }: Draft): Quote | null {
  return quotes?.quotes.find((quote) => quote.available && quote.payment_method === method) ?? null;
}

/** What the terms fix goes before what was chosen. */
export function quoteBody(terms: Terms, { flow, amount, currency, source, target }: Draft): QuoteBody {
  const hasTarget = flow !== 'off_ramp';
  const isBound = terms.sessionId !== null;
  return {
    flow,
    amount: (isBound || amount === null ? null : readAmount(amount, decimalsOf(terms, currency))) ?? terms.amount,
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
  // By the length of their life: the clock of the service need not be that of this device.
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

/** Whether the buyer has seen another price than this. */
function hasChanged(before: Quote | null, after: Quote | null): boolean {
  if (before === null || after === null) return false;
  return before.source_total !== after.source_total || before.destination.amount !== after.destination.amount;
}

/** The method chosen before, while it still serves, else the first that does. */
function methodOf({ method }: Draft, { quotes }: Quotes): Draft['method'] {
  const serving = quotes.filter((quote) => quote.available);
  return (serving.find((quote) => quote.payment_method === method) ?? serving[0])?.payment_method ?? null;
}
