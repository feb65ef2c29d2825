import { PAYMENT_METHODS, type PaymentMethod } from '../intent/intent.js';
import { compare, isDecimal } from '../money.js';
import type { Refusal } from '../refusal.js';
import { type Flow, FLOWS } from '../session/terms.js';

/** A partner's subset of what the providers serve. An absent list allows everything; a list allows only its entries. */
export interface Restrictions {
  readonly flows?: readonly Flow[];
  readonly paymentMethods?: readonly PaymentMethod[];
  /** `USDC` on every network, or `USDC@base` on one. */
  readonly assets?: readonly string[];
  /** ISO 3166-1, two letters in upper case. */
  readonly countries?: readonly string[];
  /** Each narrows the amounts of matching payments. */
  readonly limits?: readonly RestrictedLimit[];
}

/** Inclusive bounds of amounts in `currency`. An absent or null flow or payment method matches all. */
export interface RestrictedLimit {
  readonly flow?: Flow | null;
  readonly paymentMethod?: PaymentMethod | null;
  /** ISO 4217, three letters in upper case. */
  readonly currency: string;
  readonly minAmount?: string | null;
  readonly maxAmount?: string | null;
}

/** The allowed values of each list, and their description in error messages. */
export const RESTRICTION_LISTS = {
  flows: { of: FLOWS.join(', '), has: (value: unknown) => FLOWS.some((flow) => flow === value) },
  paymentMethods: {
    of: PAYMENT_METHODS.join(', '),
    has: (value: unknown) => PAYMENT_METHODS.some((method) => method === value),
  },
  assets: {
    of: 'assets such as "USDC" or "USDC@base"',
    has: (value: unknown) => typeof value === 'string' && /^[A-Za-z0-9]{2,12}(@[A-Za-z0-9_-]{2,30})?$/.test(value),
  },
  countries: {
    of: 'country codes of two upper-case letters',
    has: (value: unknown) => typeof value === 'string' && /^[A-Z]{2}$/.test(value),
  },
} as const satisfies Partial<Record<keyof Restrictions, object>>;

/** The first rule that the limit breaks; null if it is valid. */
export function brokenLimitRule(limit: {
  readonly [Name in keyof RestrictedLimit]?: unknown;
}): 'flow' | 'payment_method' | 'currency' | 'amount' | 'unbounded' | 'crossed' | null {
  const { flow = null, paymentMethod = null, currency, minAmount = null, maxAmount = null } = limit;
  if (flow !== null && !RESTRICTION_LISTS.flows.has(flow)) return 'flow';
  if (paymentMethod !== null && !RESTRICTION_LISTS.paymentMethods.has(paymentMethod)) return 'payment_method';
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return 'currency';
  if (!isAmountOrNull(minAmount) || !isAmountOrNull(maxAmount)) return 'amount';
  if (minAmount === null && maxAmount === null) return 'unbounded';
  return minAmount !== null && maxAmount !== null && compare(minAmount, maxAmount) > 0 ? 'crossed' : null;
}

function isAmountOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= 40 && isDecimal(value));
}

/** Lower and upper bound of an amount; null where unbounded. */
interface Bounds {
  readonly minAmount: string | null;
  readonly maxAmount: string | null;
}

/** The terms of a payment that restrictions apply to. A null term is not checked. */
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

/** A refusal by the restrictions, and the term that caused it. */
export interface Restricted extends Refusal<
  'corridor_not_supported' | 'amount_below_minimum' | 'amount_above_maximum'
> {
  readonly term: 'flow' | 'asset' | 'country' | 'payment_method' | 'amount';
}

/** Why the restrictions exclude the payment; null if they allow it. */
export function whyRestricted(
  restrictions: Restrictions | null | undefined,
  terms: RestrictedTerms,
): Restricted | null {
  if (restrictions === null || restrictions === undefined) return null;
  const { flow, countryCode, paymentMethod } = terms;
  if (!allowsFlow(restrictions, flow)) return excluded('flow', flow, 'flows');
  const disallowed = assetsOf(terms).find(({ token, network }) => !allowsAsset(restrictions, token, network));
  if (disallowed !== undefined) return excluded('asset', assetName(disallowed), 'assets');
  if (countryCode !== null && !allowsCountry(restrictions, countryCode))
    return excluded('country', countryCode, 'countries');
  if (paymentMethod !== null && !allowsMethod(restrictions, paymentMethod))
    return excluded('payment_method', paymentMethod, 'payment_methods');
  return outsideBounds(boundsOf(restrictions, terms), terms);
}

export function allowsFlow({ flows }: Restrictions, flow: Flow): boolean {
  return flows?.includes(flow) ?? true;
}

/** Whether the restrictions allow a payment method. */
export function allowsMethod({ paymentMethods }: Restrictions, method: PaymentMethod): boolean {
  return paymentMethods?.includes(method) ?? true;
}

export function allowsCountry({ countries }: Restrictions, code: string): boolean {
  return countries?.includes(code.toUpperCase()) ?? true;
}

/** Whether the token may be used on the network or, if null, on any network. Case-insensitive. */
export function allowsAsset({ assets }: Restrictions, token: string, network: string | null): boolean {
  if (assets === undefined) return true;
  return assets.some((asset) => {
    const [code = '', only = null] = asset.toUpperCase().split('@');
    return code === token.toUpperCase() && (only === null || network === null || only === network.toUpperCase());
  });
}

/** The intersection of the bounds of all matching limits. */
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

/** The row with narrowed bounds; its minimum may end up above its maximum. */
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

/** The crypto assets that the flow takes or delivers, where named. */
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
