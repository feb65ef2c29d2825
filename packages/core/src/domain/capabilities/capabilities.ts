import type { PaymentMethod } from '../intent/intent.js';
import { compare } from '../money.js';
import { type Flow, FLOWS } from '../session/terms.js';

/** What a provider serves, or several of them together: what a partner can discover, and what quotes are given for. */
export interface Capabilities {
  readonly flows: readonly Flow[];
  /** What the fiat of each flow comes or goes by; on a swap, what is sent. */
  readonly paymentMethods: Readonly<Partial<Record<Flow, readonly PaymentMethod[]>>>;
  /** Methods whose on-ramp payments can be refunded; none by default. */
  readonly refundable?: readonly PaymentMethod[];
  /** Methods that a buyer can save for later on-ramps; none by default. */
  readonly savable?: readonly PaymentMethod[];
  readonly countries: readonly ServedCountry[];
  readonly currencies: readonly ServedCurrency[];
  readonly assets: readonly ServedAsset[];
  readonly networks: readonly ServedNetwork[];
  /** One for every flow, payment method and currency that go together. */
  readonly limits: readonly ServedLimit[];
  /** Fees of payments, for partners to show; a quote has those of one payment. */
  readonly fees?: readonly ServedFee[];
  /** Components of the provider's own that a buyer can pay in; none by default. */
  readonly components?: readonly ServedComponent[];
  /** How long a quote of the provider is valid, in milliseconds. */
  readonly quoteLifetime?: number;
  /**
   * Something that the provider serves at other times is missing now, because a system it depends on is away. What is not listed is
   * then answered as an outage, and not as unserved.
   */
  readonly isPartial?: boolean;
}

/** ISO 3166-1, two letters in upper case. */
export interface ServedCountry {
  readonly code: string;
  readonly name: string;
  readonly flows: readonly Flow[];
  readonly paymentMethods: readonly PaymentMethod[];
}

/** ISO 4217, three letters in upper case. */
export interface ServedCurrency {
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
  readonly flows: readonly Flow[];
}

/** A token that providers take or give. */
export interface ServedAsset {
  /** In upper case. */
  readonly code: string;
  readonly name: string;
  /** Most fractional digits that its amounts have. */
  readonly decimals: number;
  /** Codes of networks. The first one is meant when none is named. */
  readonly networks: readonly string[];
  readonly flows: readonly Flow[];
}

/** A chain that tokens move on. */
interface ServedNetwork {
  readonly code: string;
  readonly name: string;
  /** The family its addresses belong to, such as `evm`. */
  readonly addressFormat: string;
}

/** Of the amount in `currency`; both ends are served. */
export interface ServedLimit {
  readonly flow: Flow;
  readonly paymentMethod: PaymentMethod;
  readonly currency: string;
  readonly minAmount: string;
  readonly maxAmount: string;
  /** Margin of the provider in the exchange rate, in whole basis points; absent where it does not state one. */
  readonly spreadBps?: number;
}

/** A share of the amount and a fixed part, in `currency`. */
export interface ServedFee {
  readonly paymentMethod: PaymentMethod;
  /** The same as `fees.type` of a quote. */
  readonly type: string;
  /** Whole basis points of the amount. */
  readonly bps: number;
  readonly fixedAmount: string;
  readonly currency: string;
  /** Null where it is the same on every network. */
  readonly network: string | null;
}

/** Wallets that a component may be. */
export const WALLETS = ['apple_pay', 'google_pay', 'sandbox_pay'] as const;

/** One of `WALLETS`. */
export type Wallet = (typeof WALLETS)[number];

/** A component that the checkout shows in a frame: what is entered there reaches the provider alone. */
export interface ServedComponent {
  readonly paymentMethod: PaymentMethod;
  /** The name of the provider. */
  readonly provider: string;
  /** Null for the provider's own card fields. */
  readonly wallet: Wallet | null;
  /** What an attempt has as `payment_details.token` to be asked for this component. */
  readonly token: string;
  /** The page of the component: the checkout frames its origin. */
  readonly frameUrl: string;
}

/** What a mode serves without any provider. */
export const NOTHING_SERVED: Capabilities = {
  flows: [],
  paymentMethods: {},
  countries: [],
  currencies: [],
  assets: [],
  networks: [],
  limits: [],
};

/**
 * What several providers serve together. The order is theirs, and of two that name one thing differently the first is believed. Limits
 * span: an amount that any of them takes is within.
 */
export function mergeCapabilities(all: readonly Capabilities[]): Capabilities {
  return all.reduce(mergeTwo, NOTHING_SERVED);
}

function mergeTwo(one: Capabilities, other: Capabilities): Capabilities {
  return {
    flows: union(one.flows, other.flows),
    paymentMethods: Object.fromEntries(
      FLOWS.map(
        (flow) => [flow, union(one.paymentMethods[flow] ?? [], other.paymentMethods[flow] ?? [])] as const,
      ).filter(([, methods]) => methods.length > 0),
    ),
    ...supportedByAll('refundable', one, other),
    ...supportedByAll('savable', one, other),
    ...componentsOfAll(one, other),
    countries: byKey(codeOf, one.countries, other.countries, (a, b) => ({
      ...a,
      flows: union(a.flows, b.flows),
      paymentMethods: union(a.paymentMethods, b.paymentMethods),
    })),
    currencies: byKey(codeOf, one.currencies, other.currencies, (a, b) => ({ ...a, flows: union(a.flows, b.flows) })),
    assets: byKey(codeOf, one.assets, other.assets, (a, b) => ({
      ...a,
      networks: union(a.networks, b.networks),
      flows: union(a.flows, b.flows),
    })),
    networks: byKey(codeOf, one.networks, other.networks, (a) => a),
    limits: byKey(pairing, one.limits, other.limits, spanning),
    ...statedFees(one, other),
    ...shortestQuotes(one, other),
    ...(one.isPartial === true || other.isPartial === true ? { isPartial: true } : {}),
  };
}

function componentsOfAll(one: Capabilities, other: Capabilities): Pick<Capabilities, 'components'> {
  const components = [...(one.components ?? []), ...(other.components ?? [])];
  return components.length === 0 ? {} : { components };
}

/** A payment may go to any provider that takes its method, so all of these must be able to refund it, or to save it. */
function supportedByAll(
  ability: 'refundable' | 'savable',
  one: Capabilities,
  other: Capabilities,
): Partial<Capabilities> {
  if (one[ability] === undefined && other[ability] === undefined) return {};
  const able = union(one.paymentMethods.on_ramp ?? [], other.paymentMethods.on_ramp ?? []).filter((method) =>
    [one, other].every(
      (served) => !served.paymentMethods.on_ramp?.includes(method) || served[ability]?.includes(method),
    ),
  );
  return { [ability]: able };
}

/** Absent where neither states any. Of two that name one fee the first is believed. */
function statedFees(one: Capabilities, other: Capabilities): Pick<Capabilities, 'fees'> {
  if (one.fees === undefined && other.fees === undefined) return {};
  return { fees: byKey(feeKey, one.fees ?? [], other.fees ?? [], (a) => a) };
}

function feeKey({ paymentMethod, type, currency, network }: ServedFee): string {
  return `${paymentMethod}/${type}/${currency}/${network ?? ''}`;
}

/** The lifetime that holds for quotes of either. */
function shortestQuotes(one: Capabilities, other: Capabilities): Pick<Capabilities, 'quoteLifetime'> {
  const stated = [one, other].flatMap(({ quoteLifetime }) => (quoteLifetime === undefined ? [] : [quoteLifetime]));
  return stated.length === 0 ? {} : { quoteLifetime: Math.min(...stated) };
}

function union<Item>(one: readonly Item[], other: readonly Item[]): readonly Item[] {
  return [...new Set([...one, ...other])];
}

function codeOf(row: { readonly code: string }): string {
  return row.code;
}

function pairing({ flow, paymentMethod, currency }: ServedLimit): string {
  return `${flow}/${paymentMethod}/${currency}`;
}

function spanning(a: ServedLimit, b: ServedLimit): ServedLimit {
  return {
    ...b,
    ...a,
    minAmount: compare(b.minAmount, a.minAmount) < 0 ? b.minAmount : a.minAmount,
    maxAmount: compare(b.maxAmount, a.maxAmount) > 0 ? b.maxAmount : a.maxAmount,
  };
}

/** Rows of one key become one, at the place of the first. */
function byKey<Row>(
  keyOf: (row: Row) => string,
  one: readonly Row[],
  other: readonly Row[],
  join: (a: Row, b: Row) => Row,
): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const row of [...one, ...other]) {
    const known = rows.get(keyOf(row));
    rows.set(keyOf(row), known === undefined ? row : join(known, row));
  }
  return [...rows.values()];
}
