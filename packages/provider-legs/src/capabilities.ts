import {
  decimal,
  FLOWS,
  type Capabilities,
  type Flow,
  type PaymentMethod,
  type ServedCountry,
  type UnavailableMarket,
} from '@gateramp/core/domain';
import { type MarketView, marketView } from './market-view.js';
import type { ChainAsset } from './ports/legs.js';
import { NO_LIMIT, QUOTE_LIFETIME_MS } from './quotes.js';
import { methodsOf, tradable, type MarketLegs, type Route } from './route.js';
import { isBelowMinimum, lesserOf, maxAmountOf } from './route-prices.js';

/** Display names for the codes that the legs use. */
export interface MarketNames {
  /** The countries in which buyers are served. */
  readonly countries: readonly { readonly code: string; readonly name: string }[];
  readonly currencies: Readonly<Record<string, string>>;
  readonly assets: Readonly<Record<string, string>>;
}

/** One use of a token in a flow and currency, and whether it is possible now. */
interface Use extends UnavailableMarket {
  readonly isOpen: boolean;
  /** By payment method: the largest amount that can be delivered now; null without a bound. */
  readonly maxAmounts: ReadonlyMap<PaymentMethod, string | null>;
}

/**
 * The current joint capabilities of the legs. A token that cannot be priced, accepted or delivered is missing only from the flows, networks
 * and currencies that need it; `unavailable` lists what is missing.
 */
export async function capabilitiesOf(legs: MarketLegs, names: MarketNames, provider: string): Promise<Capabilities> {
  const uses = await usesOf(legs);
  const open = uses.filter(({ isOpen }) => isOpen);
  const unavailable = uses
    .filter(({ isOpen }) => !isOpen)
    .map(({ flow, side, asset, network, currency }) => ({ flow, side, asset, network, currency }));
  const currencies = [...new Set(legs.exchange.pairs.map(({ currency }) => currency))];
  const flowsWith = (of: readonly Use[]) =>
    FLOWS.filter((flow) => currencies.some((currency) => isServed(legs, of, flow, currency)));
  const flows = flowsWith(open);
  const flowsOf = (rows: readonly Use[]) => flows.filter((flow) => rows.some((use) => use.flow === flow));
  const methods = (flow: Flow) => [
    ...new Set(currencies.flatMap((currency) => methodsOf(legs, flow, currency).map(({ method }) => method))),
  ];
  const assets = assetsOf(legs).flatMap(({ asset, decimals }) => {
    const ofAsset = open.filter((use) => use.asset === asset);
    const networks = [...new Set(ofAsset.map(({ network }) => network))];
    const name = names.assets[asset] ?? asset;
    // Also without networks, to say what is unavailable.
    const isKnown = networks.length > 0 || unavailable.some((one) => one.asset === asset);
    return isKnown ? [{ code: asset, name, decimals, networks, flows: flowsOf(ofAsset) }] : [];
  });
  return {
    flows,
    paymentMethods: Object.fromEntries(flows.map((flow) => [flow, methods(flow)])),
    refundable: [...new Set(legs.fiat.methods.filter(({ refundable }) => refundable).map(({ method }) => method))],
    countries: names.countries.map((country): ServedCountry => {
      const paymentMethods = [...new Set(flows.flatMap(methods))];
      return { ...country, flows, paymentMethods };
    }),
    currencies: currencies.map((code) => ({
      code,
      name: names.currencies[code] ?? code,
      decimals: decimal.currencyDecimals(code),
      flows: flows.filter((flow) => isServed(legs, open, flow, code)),
    })),
    assets,
    networks: legs.chain.networks.flatMap(({ network, displayName, addressFormat }) => {
      const onNetwork = open.filter((use) => use.network === network);
      return onNetwork.length === 0
        ? []
        : [{ code: network, name: displayName, addressFormat, flows: flowsOf(onNetwork) }];
    }),
    limits: flows.flatMap((flow) => currencies.flatMap((currency) => limitsOf(legs, open, flow, currency))),
    fees: legs.fiat.methods.map(({ method, currency, feeBps, feeFixed }) => ({
      paymentMethod: method,
      type: 'service',
      bps: feeBps,
      fixedAmount: feeFixed,
      currency,
      network: null,
    })),
    components: (legs.fiat.components ?? [])
      .filter(({ paymentMethod }) => flows.includes('on_ramp') && methods('on_ramp').includes(paymentMethod))
      .map((component) => ({ ...component, provider })),
    quoteLifetime: QUOTE_LIFETIME_MS,
    unavailable,
    ...(unavailable.length > 0 ? { isPartial: true } : {}),
  };
}

const SIDES = { on_ramp: ['target'], off_ramp: ['source'], swap: ['source', 'target'] } as const;

/** All uses that the legs are configured for, each with its state now. */
async function usesOf(legs: MarketLegs): Promise<readonly Use[]> {
  const view = marketView(legs);
  const configured = legs.exchange.pairs.flatMap(({ asset, currency }) =>
    tradable(legs, currency)
      .filter((one) => one.asset === asset)
      .flatMap((routed) =>
        FLOWS.filter((flow) => methodsOf(legs, flow, currency).length > 0).flatMap((flow) =>
          SIDES[flow].map((side) => ({ flow, side, routed, currency })),
        ),
      ),
  );
  return Promise.all(
    configured.map(async ({ flow, side, routed, currency }): Promise<Use> => {
      const { asset, network } = routed;
      const pair = { asset, currency };
      const isUsable =
        (await view.isPriced(pair)) &&
        (await view.canUse(network, { asset, as: side === 'source' ? 'deposit' : 'send' }));
      const maxAmounts =
        isUsable && side === 'target'
          ? await maxAmountsOf(view, legs, { flow, currency, source: null, target: routed })
          : new Map<PaymentMethod, string | null>();
      const isOpen = isUsable && (side === 'source' || maxAmounts.size > 0);
      return { flow, side, asset, network, currency, isOpen, maxAmounts };
    }),
  );
}

/** What can be delivered now, for each method with an amount that it accepts. */
async function maxAmountsOf(
  view: MarketView,
  legs: MarketLegs,
  assets: Omit<Route, 'method' | 'fiat'>,
): Promise<Use['maxAmounts']> {
  const { flow, currency, target } = assets;
  // The size of an amount depends on the price alone, and not on the clock by which it is dated.
  const result = target === null ? null : await view.price({ asset: target.asset, currency }, Date.now());
  if (result?.kind !== 'price') return new Map();
  const bounds = await Promise.all(
    methodsOf(legs, flow, currency).map(async ({ method, fiat }) => {
      const route = { ...assets, method, fiat };
      // A swap, too, is bounded by what can be delivered for its worth, whatever is sent.
      return { route, max: await maxAmountOf(view, route, { bid: null, ask: result.ask }) };
    }),
  );
  return new Map(
    bounds.flatMap(({ route, max }) =>
      max !== null && isBelowMinimum(route, max) ? [] : [[route.method, max] as const],
    ),
  );
}

function isServed(legs: MarketLegs, open: readonly Use[], flow: Flow, currency: string): boolean {
  if (methodsOf(legs, flow, currency).length === 0) return false;
  const uses = open.filter((use) => use.flow === flow && use.currency === currency);
  if (flow !== 'swap') return uses.length > 0;
  const of = (side: Use['side']) => uses.filter((use) => use.side === side);
  return of('source').some((sent) => of('target').some((received) => received.asset !== sent.asset));
}

/** Each token once. For a token on several networks, the first one determines its decimals. */
function assetsOf({ chain }: MarketLegs): readonly ChainAsset[] {
  const byCode = new Map<string, ChainAsset>();
  for (const asset of chain.networks.flatMap(({ assets }) => assets))
    if (!byCode.has(asset.asset)) byCode.set(asset.asset, asset);
  return [...byCode.values()];
}

/** The limits of each method; the largest amount is that of the token of which the most can be delivered. */
function limitsOf(legs: MarketLegs, open: readonly Use[], flow: Flow, currency: string): Capabilities['limits'] {
  const targets = open.filter((use) => use.flow === flow && use.currency === currency && use.side === 'target');
  return methodsOf(legs, flow, currency).flatMap(({ method, fiat }) => {
    const { minAmount, maxAmount } = fiat ?? NO_LIMIT;
    const bounds = targets.flatMap(({ maxAmounts }) => {
      const bound = maxAmounts.get(method);
      return bound === undefined ? [] : [lesserOf(bound, maxAmount) ?? maxAmount];
    });
    if (targets.length > 0 && bounds.length === 0) return [];
    const largest = bounds.toSorted(decimal.compare).at(-1) ?? maxAmount;
    return [{ flow, paymentMethod: method, currency, minAmount, maxAmount: largest }];
  });
}
