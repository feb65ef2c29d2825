import { compare, currencyDecimals, fitsCurrency } from '../money.js';
import { type Flow, isSameCode } from '../session/terms.js';
import { type Capabilities, networksNow } from './capabilities.js';

/** Session terms that can make a session unservable. */
export const UNSERVED_TERMS = ['flow', 'currency', 'target_token', 'target_network', 'country_code', 'amount'] as const;

/** Reasons why a term is not served. */
export const UNSERVED_CODES = ['not_served', 'too_many_decimals', 'below_minimum', 'above_maximum'] as const;

/** The term that cannot be served and, where a bound is the cause, that bound. Bounds that are not the cause are null. */
export interface Unserved {
  readonly term: (typeof UNSERVED_TERMS)[number];
  readonly code: (typeof UNSERVED_CODES)[number];
  readonly value: string;
  readonly currency: string | null;
  readonly minAmount: string | null;
  readonly maxAmount: string | null;
  readonly decimals: number | null;
}

/** The requested terms: those fixed by the session, and the buyer's country. Null leaves a term open. */
export type WantedTerms = {
  readonly [Name in 'amount' | 'currency' | 'targetToken' | 'targetNetwork' | 'countryCode']: string | null;
};

/**
 * Explains why no provider serves the terms in any of the flows; null when at least one does. Of several reasons, returns the one closest
 * to success: a provider that supports the currency, token and country and only rejects the amount.
 */
export function whyUnserved(
  all: readonly Capabilities[],
  flows: readonly Flow[],
  wanted: WantedTerms,
): Unserved | null {
  let nearest: Unserved | null = null;
  for (const served of all)
    for (const flow of flows) {
      const unserved = firstUnserved(served, flow, wanted);
      if (unserved === null) return null;
      nearest = nearest === null ? unserved : moreSpecific(nearest, unserved);
    }
  return nearest ?? { ...NOT_SERVED, term: 'flow', value: flows[0] ?? 'none', currency: wanted.currency };
}

const NOT_SERVED = { code: 'not_served', minAmount: null, maxAmount: null, decimals: null } as const;

/** Checks the terms in the order of `UNSERVED_TERMS`. */
function firstUnserved(served: Capabilities, flow: Flow, wanted: WantedTerms): Unserved | null {
  const { amount, targetToken, targetNetwork, countryCode } = wanted;
  const currency = wanted.currency?.toUpperCase() ?? null;
  const not = (term: Unserved['term'], value: string): Unserved => ({ ...NOT_SERVED, term, value, currency });
  if (!served.flows.includes(flow)) return not('flow', flow);
  if (currency !== null && !served.currencies.some(({ code, flows }) => code === currency && flows.includes(flow)))
    return not('currency', currency);
  if (flow !== 'off_ramp') {
    const assets = served.assets
      .filter(({ code, flows }) => flows.includes(flow) && (targetToken === null || isSameCode(code, targetToken)))
      .map((asset) => ({ networks: networksNow(served, asset, { flow, side: 'target', currency }) }))
      .filter(({ networks }) => networks.length > 0);
    if (assets.length === 0) return not('target_token', targetToken ?? flow);
    const isThere = assets.some(
      ({ networks }) => targetNetwork === null || networks.some((one) => isSameCode(one, targetNetwork)),
    );
    if (!isThere) return not('target_network', targetNetwork ?? flow);
  }
  if (countryCode !== null && !served.countries.some(({ code, flows }) => code === countryCode && flows.includes(flow)))
    return not('country_code', countryCode);
  if (amount === null || currency === null) return null;
  if (!fitsCurrency(amount, currency))
    return { ...not('amount', amount), code: 'too_many_decimals', decimals: currencyDecimals(currency) };
  return outsideLimits(served, flow, { amount, currency });
}

/** Null when at least one limit accepts the amount, or when the provider lists no limits. */
function outsideLimits(
  { limits }: Capabilities,
  flow: Flow,
  { amount, currency }: { readonly amount: string; readonly currency: string },
): Unserved | null {
  const rows = limits.filter((limit) => limit.flow === flow && limit.currency === currency);
  const isWithin = rows.some(
    ({ minAmount, maxAmount }) => compare(amount, minAmount) >= 0 && compare(amount, maxAmount) <= 0,
  );
  const [first] = rows;
  if (first === undefined || isWithin) return null;
  const minAmount = rows.reduce(
    (least, row) => (compare(row.minAmount, least) < 0 ? row.minAmount : least),
    first.minAmount,
  );
  const maxAmount = rows.reduce(
    (most, row) => (compare(row.maxAmount, most) > 0 ? row.maxAmount : most),
    first.maxAmount,
  );
  const code = compare(amount, minAmount) < 0 ? 'below_minimum' : 'above_maximum';
  return { term: 'amount', code, value: amount, currency, minAmount, maxAmount, decimals: null };
}

/** Returns the reason for the later term; of two limits, the less restrictive one. */
function moreSpecific(one: Unserved, other: Unserved): Unserved {
  const difference = UNSERVED_TERMS.indexOf(other.term) - UNSERVED_TERMS.indexOf(one.term);
  if (difference !== 0) return difference > 0 ? other : one;
  return takesMore(other, one) ? other : one;
}

function takesMore(one: Unserved, other: Unserved): boolean {
  if (one.code !== other.code) return one.minAmount !== null && other.minAmount === null;
  if (one.code === 'below_minimum') return compare(one.minAmount ?? '0', other.minAmount ?? '0') < 0;
  return one.code === 'above_maximum' && compare(one.maxAmount ?? '0', other.maxAmount ?? '0') > 0;
}
