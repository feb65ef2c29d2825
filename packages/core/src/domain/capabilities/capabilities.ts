import type { PaymentMethod } from '../intent/intent.js';
import { compare } from '../money.js';
import { type Flow, FLOWS, isSameCode } from '../session/terms.js';

/** The services of one provider, or of several merged: the source of capability discovery and of quotes. */
export interface Capabilities {
  readonly flows: readonly Flow[];
  /** How the fiat of each flow is paid in or paid out; for a swap, how the source crypto is sent. */
  readonly paymentMethods: Readonly<Partial<Record<Flow, readonly PaymentMethod[]>>>;
  /** Methods whose on-ramp payments can be refunded; absent means none. */
  readonly refundable?: readonly PaymentMethod[];
  /** Methods that a buyer can save for later on-ramps; absent means none. */
  readonly savable?: readonly PaymentMethod[];
  readonly countries: readonly ServedCountry[];
  readonly currencies: readonly ServedCurrency[];
  readonly assets: readonly ServedAsset[];
  readonly networks: readonly ServedNetwork[];
  /** One row per supported combination of flow, payment method and currency. */
  readonly limits: readonly ServedLimit[];
  /** Fees to show to partners. A quote states the fees of one payment. */
  readonly fees?: readonly ServedFee[];
  /** The provider's own components for payment entry; absent means none. */
  readonly components?: readonly ServedComponent[];
  /** Validity of the provider's quotes, in milliseconds. */
  readonly quoteLifetime?: number;
  /**
   * True while a system the provider depends on is down and some of its services are missing. Unlisted services are then answered as an
   * outage instead of as unsupported; if `unavailable` is present, only those that it lists.
   */
  readonly isPartial?: boolean;
  /** What the provider serves as a rule and cannot serve now; absent if the provider does not say. */
  readonly unavailable?: readonly UnavailableMarket[];
}

/** An asset that cannot be used now in one flow, on one network and in one currency. */
export interface UnavailableMarket {
  readonly flow: Flow;
  /** `source`: buyers cannot send the asset; `target`: it cannot be delivered to them. */
  readonly side: 'source' | 'target';
  readonly asset: string;
  readonly network: string;
  readonly currency: string;
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

/** A token that providers accept or deliver. */
export interface ServedAsset {
  /** In upper case. */
  readonly code: string;
  readonly name: string;
  /** Maximum number of fractional digits of an amount. */
  readonly decimals: number;
  /** Network codes. The first is the default when a request names no network. */
  readonly networks: readonly string[];
  readonly flows: readonly Flow[];
}

/** A blockchain on which tokens are transferred. */
interface ServedNetwork {
  readonly code: string;
  readonly name: string;
  /** Address family, such as `evm`. */
  readonly addressFormat: string;
  /** The flows that it can serve now; absent: those of its assets. */
  readonly flows?: readonly Flow[];
}

/** Amount bounds in `currency`, both inclusive. */
export interface ServedLimit {
  readonly flow: Flow;
  readonly paymentMethod: PaymentMethod;
  readonly currency: string;
  readonly minAmount: string;
  readonly maxAmount: string;
  /** The provider's margin in the exchange rate, in whole basis points; absent where the provider does not state one. */
  readonly spreadBps?: number;
}

/** A percentage of the amount plus a fixed part, in `currency`. */
export interface ServedFee {
  readonly paymentMethod: PaymentMethod;
  /** Same values as `fees.type` of a quote. */
  readonly type: string;
  /** Whole basis points of the amount. */
  readonly bps: number;
  readonly fixedAmount: string;
  readonly currency: string;
  /** Null when the fee is the same on every network. */
  readonly network: string | null;
}

/** Wallets that a component can offer. */
export const WALLETS = ['apple_pay', 'google_pay', 'sandbox_pay'] as const;

/** One of `WALLETS`. */
export type Wallet = (typeof WALLETS)[number];

/** A component that the checkout shows in a frame: data entered in it reaches only the provider. */
export interface ServedComponent {
  readonly paymentMethod: PaymentMethod;
  /** The provider's name. */
  readonly provider: string;
  /** Null for the provider's own card fields. */
  readonly wallet: Wallet | null;
  /** The value of `payment_details.token` with which an attempt requests this component. */
  readonly token: string;
  /** URL of the component's page; the checkout allows its origin as a frame. */
  readonly frameUrl: string;
}

/** The capabilities of a mode without providers. */
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
 * Merges the capabilities of several providers in their order. Where two describe one entry differently, the first wins. Limits are widened
 * to cover every amount that some provider accepts.
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
    networks: byKey(codeOf, one.networks, other.networks, (a, b) => ({
      ...a,
      flows: union(flowsOfNetwork(one, a), flowsOfNetwork(other, b)),
    })),
    limits: byKey(pairing, one.limits, other.limits, spanning),
    ...statedFees(one, other),
    ...shortestQuotes(one, other),
    ...(one.isPartial === true || other.isPartial === true ? { isPartial: true } : {}),
    ...unavailableAtAll(one, other),
  };
}

/** The flows that a network can serve now. */
export function flowsOfNetwork(
  { assets }: Pick<Capabilities, 'assets'>,
  { code, flows }: ServedNetwork,
): readonly Flow[] {
  const ofAssets = assets.filter(({ networks }) => networks.includes(code)).flatMap((asset) => asset.flows);
  return flows ?? FLOWS.filter((flow) => ofAssets.includes(flow));
}

/** Keeps what no provider can serve now. */
function unavailableAtAll(one: Capabilities, other: Capabilities): Pick<Capabilities, 'unavailable'> {
  if (one.unavailable === undefined && other.unavailable === undefined) return {};
  const all = [
    ...(one.unavailable ?? []).filter((market) => !isServedNow(other, market)),
    ...(other.unavailable ?? []).filter((market) => !isServedNow(one, market)),
  ];
  return { unavailable: all.filter((market, index) => all.findIndex((same) => isSameMarket(same, market)) === index) };
}

function isServedNow(served: Capabilities, market: UnavailableMarket): boolean {
  const { flow, asset, network, currency } = market;
  return (
    served.currencies.some(({ code, flows }) => code === currency && flows.includes(flow)) &&
    served.assets.some(
      ({ code, networks, flows }) => code === asset && networks.includes(network) && flows.includes(flow),
    ) &&
    !(served.unavailable ?? []).some((one) => isSameMarket(one, market))
  );
}

function isSameMarket(one: UnavailableMarket, other: UnavailableMarket): boolean {
  return (['flow', 'side', 'asset', 'network', 'currency'] as const).every((member) => one[member] === other[member]);
}

/** The networks on which the asset can be used now. A null currency stands for every currency of the flow. */
export function networksNow(
  { unavailable = [], currencies }: Pick<Capabilities, 'unavailable' | 'currencies'>,
  { code, networks }: Pick<ServedAsset, 'code' | 'networks'>,
  { flow, side, currency }: Pick<UnavailableMarket, 'flow' | 'side'> & { readonly currency: string | null },
): readonly string[] {
  const wanted =
    currency === null ? currencies.filter(({ flows }) => flows.includes(flow)).map((one) => one.code) : [currency];
  return networks.filter(
    (network) =>
      !wanted.every((of) =>
        unavailable.some((one) => isSameMarket(one, { flow, side, asset: code, network, currency: of })),
      ),
  );
}

/** Terms of a request for a market. Null leaves a term open. */
export interface MarketWish {
  readonly flow: Flow;
  readonly currency: string | null;
  readonly source?: { readonly token: string | null; readonly network: string | null };
  readonly target?: { readonly token: string | null; readonly network: string | null };
}

/**
 * Something that the request needs and that is unavailable now; null if there is nothing, or if the provider does not say. A request that
 * leaves a token open needs any one of them, so the shortage of one closes nothing while the provider serves the flow with another.
 */
export function unavailableFor(all: readonly Capabilities[], wish: MarketWish): UnavailableMarket | null {
  const isOpenOr = (term: string | null | undefined, value: string) =>
    term === null || term === undefined || isSameCode(term, value);
  const found = all
    .flatMap(({ unavailable = [], flows }) =>
      unavailable.filter(
        ({ flow, side, asset, network, currency }) =>
          flow === wish.flow &&
          isOpenOr(wish.currency, currency) &&
          isOpenOr(wish[side]?.token, asset) &&
          isOpenOr(wish[side]?.network, network) &&
          (isNamed(wish[side]) || !flows.includes(flow)),
      ),
    )
    .at(0);
  return found ?? null;
}

function isNamed(term: MarketWish['source']): boolean {
  return (term?.token ?? term?.network ?? null) !== null;
}

/** What is unavailable, for partners and buyers. */
export function unavailableMessage({
  side,
  asset,
  network,
}: Pick<UnavailableMarket, 'side' | 'asset' | 'network'>): string {
  const problem = side === 'source' ? 'cannot be accepted' : 'cannot be delivered';
  return `${asset} on ${network} ${problem} at the moment; try again later, or choose another asset.`;
}

function componentsOfAll(one: Capabilities, other: Capabilities): Pick<Capabilities, 'components'> {
  const components = [...(one.components ?? []), ...(other.components ?? [])];
  return components.length === 0 ? {} : { components };
}

/** Keeps a method only if every provider that takes it has the ability, because a payment may be routed to any of them. */
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

/** Absent when neither provider states fees. Where both state the same fee, the first wins. */
function statedFees(one: Capabilities, other: Capabilities): Pick<Capabilities, 'fees'> {
  if (one.fees === undefined && other.fees === undefined) return {};
  return { fees: byKey(feeKey, one.fees ?? [], other.fees ?? [], (a) => a) };
}

function feeKey({ paymentMethod, type, currency, network }: ServedFee): string {
  return `${paymentMethod}/${type}/${currency}/${network ?? ''}`;
}

/** The shorter lifetime, which is valid for quotes of both providers. */
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

/** Merges rows with equal keys at the position of the first. */
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
