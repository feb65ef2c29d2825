import type { PaymentMethod } from '../intent/intent.js';
import { compare } from '../money.js';
import type { Refusal } from '../refusal.js';
import type { Flow } from '../session/terms.js';

/** What a partner may use of what providers serve. An absent list allows everything; a list allows what it names and nothing else. */
export interface Restrictions {
  readonly flows?: readonly Flow[];
  readonly paymentMethods?: readonly PaymentMethod[];
  /** `USDC` on every network, or `USDC@base` on one. */
  readonly assets?: readonly string[];
  /** ISO 3166-1, two letters in upper case. */
  readonly countries?: readonly string[];
  /** Each narrows the amounts of the payments that it matches. */
  readonly limits?: readonly RestrictedLimit[];
}

/** Bounds of amounts in `currency`, both ends included. A flow or payment method that is absent or null means all of them. */
export interface RestrictedLimit {
  readonly flow?: Flow | null;
  readonly paymentMethod?: PaymentMethod | null;
  /** ISO 4217, three letters in upper case. */
  readonly currency: string;
  readonly minAmount?: string | null;
  readonly maxAmount?: string | null;
}

/** A lower and an upper bound of an amount; null where there is none. */
export interface Bounds {
  readonly minAmount: string | null;
  readonly maxAmount: string | null;
}

/** A payment as restrictions see it; null leaves a term open, and nothing is said about it. */
export interface RestrictedTerms {
  readonly flow: Flow;
  readonly amount: string | null;
  readonly currency: string;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
}

/** What restrictions exclude, and the term that they exclude it for. */
export interface Restricted extends Refusal<
  'corridor_not_supported' | 'amount_below_minimum' | 'amount_above_maximum'
> {
  readonly term: 'flow' | 'asset' | 'country' | 'payment_method' | 'amount';
}

/** Why the restrictions exclude the payment; null when they allow it. */
export function whyRestricted(
  restrictions: Restrictions | null | undefined,
  terms: RestrictedTerms,
): Restricted | null {
  if (restrictions === null || restrictions === undefined) return null;
  const { flow, countryCode, paymentMethod } = terms;
  if (!allowsFlow(restrictions, flow)) return excluded('flow', flow, 'flows');
  const stranger = assetsOf(terms).find(({ token, network }) => !allowsAsset(restrictions, token, network));
  if (stranger !== undefined) return excluded('asset', assetName(stranger), 'assets');
  if (countryCode !== null && !allowsCountry(restrictions, countryCode))
    return excluded('country', countryCode, 'countries');
  if (paymentMethod !== null && !allowsMethod(restrictions, paymentMethod))
    return excluded('payment_method', paymentMethod, 'payment_methods');
  return outsideBounds(boundsOf(restrictions, terms), terms);
}

export function allowsFlow({ flows }: Restrictions, flow: Flow): boolean {
  return flows?.includes(flow) ?? true;
}

export function allowsMethod({ paymentMethods }: Restrictions, method: PaymentMethod): boolean {
  return paymentMethods?.includes(method) ?? true;
}

export function allowsCountry({ countries }: Restrictions, code: string): boolean {
  return countries?.includes(code.toUpperCase()) ?? true;
}

/** Whether the token may be used on the network or, with null, on any network. Symbols may be written in either case. */
export function allowsAsset({ assets }: Restrictions, token: string, network: string | null): boolean {
  if (assets === undefined) return true;
  return assets.some((asset) => {
    const [code = '', only = null] = asset.toUpperCase().split('@');
    return code === token.toUpperCase() && (only === null || network === null || only === network.toUpperCase());
  });
}

/** The narrowest bounds of every limit that matches. */
export function boundsOf(
  { limits = [] }: Restrictions,
  { flow, paymentMethod, currency }: Pick<RestrictedTerms, 'flow' | 'paymentMethod' | 'currency'>,
): Bounds {
  return limits
    .filter(
      (limit) =>
        limit.currency === currency.toUpperCase() &&
        (limit.flow ?? flow) === flow &&
        (limit.paymentMethod ?? paymentMethod) === paymentMethod,
    )
    .reduce(narrower, { minAmount: null, maxAmount: null });
}

/** The row with its bounds narrowed; its minimum may end up above its maximum. */
export function narrowed<Row extends { readonly minAmount: string; readonly maxAmount: string }>(
  row: Row,
  { minAmount, maxAmount }: Bounds,
): Row {
  return {
    ...row,
    minAmount: minAmount !== null && compare(minAmount, row.minAmount) > 0 ? minAmount : row.minAmount,
    maxAmount: maxAmount !== null && compare(maxAmount, row.maxAmount) < 0 ? maxAmount : row.maxAmount,
  };
}

function narrower(bounds: Bounds, { minAmount = null, maxAmount = null }: RestrictedLimit): Bounds {
  const isHigher = minAmount !== null && (bounds.minAmount === null || compare(minAmount, bounds.minAmount) > 0);
  const isLower = maxAmount !== null && (bounds.maxAmount === null || compare(maxAmount, bounds.maxAmount) < 0);
  return { minAmount: isHigher ? minAmount : bounds.minAmount, maxAmount: isLower ? maxAmount : bounds.maxAmount };
}

interface Asset {
  readonly token: string;
  readonly network: string | null;
}

/** The crypto that the flow takes or gives, as far as it is named. */
function assetsOf(terms: RestrictedTerms): readonly Asset[] {
  const { flow, sourceToken, sourceNetwork, targetToken, targetNetwork } = terms;
  return [
    ...(flow !== 'on_ramp' && sourceToken !== null ? [{ token: sourceToken, network: sourceNetwork }] : []),
    ...(flow !== 'off_ramp' && targetToken !== null ? [{ token: targetToken, network: targetNetwork }] : []),
  ];
}

function assetName({ token, network }: Asset): string {
  return network === null ? token : `${token} on ${network}`;
}

function excluded(term: Restricted['term'], value: string, list: string): Restricted {
  return {
    term,
    code: 'corridor_not_supported',
    message: `${value} is not enabled for this partner; see GET /v1/capabilities/${list}.`,
  };
}

function outsideBounds({ minAmount, maxAmount }: Bounds, { amount, currency }: RestrictedTerms): Restricted | null {
  if (amount === null) return null;
  if (minAmount !== null && compare(amount, minAmount) < 0)
    return {
      term: 'amount',
      code: 'amount_below_minimum',
      message: `The smallest amount for this partner is ${minAmount} ${currency}.`,
    };
  if (maxAmount !== null && compare(amount, maxAmount) > 0)
    return {
      term: 'amount',
      code: 'amount_above_maximum',
      message: `The largest amount for this partner is ${maxAmount} ${currency}.`,
    };
  return null;
}
