import {
  decimal,
  FLOWS,
  type Capabilities,
  type Flow,
  type PaymentMethod,
  type ServedCountry,
} from '@gateramp/core/domain';
import type { ChainAsset, ChainNetwork, ExchangePair } from './ports/legs.js';
import { QUOTE_LIFETIME_MS } from './quotes.js';
import { methodsOf, tradable, type MarketLegs } from './route.js';

/** Display names for the codes that the legs use. */
export interface MarketNames {
  /** The countries in which buyers are served. */
  readonly countries: readonly { readonly code: string; readonly name: string }[];
  readonly currencies: Readonly<Record<string, string>>;
  readonly assets: Readonly<Record<string, string>>;
}

/** The current joint capabilities of the legs, without pairs that cannot be priced and tokens that cannot be delivered. */
export async function capabilitiesOf(legs: MarketLegs, names: MarketNames, provider: string): Promise<Capabilities> {
  const pairs = await pricedPairs(legs);
  const priced = { ...legs, exchange: { ...legs.exchange, pairs } };
  const networks = await availableNetworks(priced);
  const isPartial = pairs.length < legs.exchange.pairs.length || hasFewerAssets(networks, legs);
  const market = { ...priced, chain: { ...legs.chain, networks } };
  const currencies = [...new Set(legs.exchange.pairs.map(({ currency }) => currency))];
  const flows = FLOWS.filter((flow) => currencies.some((currency) => isServed(market, flow, currency)));
  const methods = (flow: Flow) => [
    ...new Set(currencies.flatMap((currency) => methodsOf(market, flow, currency).map(({ method }) => method))),
  ];
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
      flows: flows.filter((flow) => isServed(market, flow, code)),
    })),
    assets: assetsOf(networks).map(({ asset, decimals }) => ({
      code: asset,
      name: names.assets[asset] ?? asset,
      decimals,
      networks: networks
        .filter(({ assets }) => assets.some((one) => one.asset === asset))
        .map(({ network }) => network),
      flows,
    })),
    networks: networks.map(({ network, displayName, addressFormat }) => ({
      code: network,
      name: displayName,
      addressFormat,
    })),
    limits: flows.flatMap((flow) => currencies.flatMap((currency) => limitsOf(market, flow, currency))),
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
    ...(isPartial ? { isPartial } : {}),
  };
}

async function pricedPairs({ exchange }: MarketLegs): Promise<readonly ExchangePair[]> {
  const reasons = await Promise.all(exchange.pairs.map((pair) => exchange.unavailable(pair)));
  return exchange.pairs.filter((_, index) => reasons[index] === null);
}

/** Networks, each with the tokens that the exchange trades and that can be delivered now. */
async function availableNetworks(legs: MarketLegs): Promise<readonly ChainNetwork[]> {
  const { chain } = legs;
  const found = await Promise.all(
    tradedNetworks(legs).map(async (network) => {
      const { assets } = network;
      const reasons = await Promise.all(
        assets.map(({ asset }) => chain.unavailable(network.network, { asset, as: 'send' })),
      );
      return { ...network, assets: assets.filter((_, index) => reasons[index] === null) };
    }),
  );
  return found.filter(({ assets }) => assets.length > 0);
}

/** Networks, each with the tokens that the exchange trades in any currency. */
function tradedNetworks({ chain, exchange }: MarketLegs): readonly ChainNetwork[] {
  const isTraded = ({ asset }: ChainAsset) => exchange.pairs.some((pair) => pair.asset === asset);
  return chain.networks.map((network) => ({ ...network, assets: network.assets.filter(isTraded) }));
}

function hasFewerAssets(available: readonly ChainNetwork[], legs: MarketLegs): boolean {
  const count = (networks: readonly ChainNetwork[]) => networks.reduce((sum, { assets }) => sum + assets.length, 0);
  return count(available) < count(tradedNetworks(legs));
}

function isServed(market: MarketLegs, flow: Flow, currency: string): boolean {
  const assets = tradable(market, currency).length;
  return methodsOf(market, flow, currency).length > 0 && assets > (flow === 'swap' ? 1 : 0);
}

/** Each token once. For a token on several networks, the first one determines its decimals. */
function assetsOf(networks: readonly ChainNetwork[]): readonly ChainAsset[] {
  const byCode = new Map<string, ChainAsset>();
  for (const asset of networks.flatMap(({ assets }) => assets))
    if (!byCode.has(asset.asset)) byCode.set(asset.asset, asset);
  return [...byCode.values()];
}

function limitsOf(market: MarketLegs, flow: Flow, currency: string): Capabilities['limits'] {
  return methodsOf(market, flow, currency).flatMap(({ method, fiat }) => {
    const paymentMethod: PaymentMethod = method;
    return fiat === null
      ? [{ flow, paymentMethod, currency, minAmount: '0.01', maxAmount: '1000000000.00' }]
      : [{ flow, paymentMethod, currency, minAmount: fiat.minAmount, maxAmount: fiat.maxAmount }];
  });
}
