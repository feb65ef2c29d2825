import { decimal, type Flow, type PaymentMethod } from '@gateramp/core/domain';
import type { MarketRefusalCode, QuoteRequest } from '@gateramp/core/ports';

/** A supported conversion from one kind of money to another; symbols are in display case. */
export interface Corridor {
  readonly flow: Flow;
  readonly currency: string;
  /** The asset that the user sends; null for fiat. */
  readonly source: Asset | null;
  /** The asset that the user receives; null for fiat. */
  readonly target: Asset | null;
}

export interface Asset {
  readonly token: string;
  readonly network: string;
}

export interface CorridorRefusal {
  readonly code: MarketRefusalCode;
  readonly message: string;
}

export type CorridorTerms = Pick<
  QuoteRequest,
  'flow' | 'amount' | 'currency' | 'sourceToken' | 'sourceNetwork' | 'targetToken' | 'targetNetwork'
>;

export interface TokenFacts {
  /** The maximum number of fractional digits of its amounts. */
  readonly decimals: number;
  /** The first one is the default. */
  readonly networks: readonly string[];
  /** The price of one unit in each currency. Fixed, so that tests can compute their expectations. */
  readonly prices: Readonly<Record<string, string>>;
}

/** The currencies that the sandbox accepts and pays out. */
export const SANDBOX_CURRENCIES: readonly string[] = ['EUR', 'USD'];
/** The countries of the buyers that the sandbox serves. */
export const SANDBOX_COUNTRIES: readonly string[] = ['DE', 'US'];
/** The minimum and maximum amount of an attempt, as decimal text. */
export const SANDBOX_LIMITS = { minAmount: '1.00', maxAmount: '10000.00' } as const;

const USDC: TokenFacts = { decimals: 6, networks: ['base', 'ethereum'], prices: { EUR: '0.92', USD: '1.00' } };
const ETH: TokenFacts = { decimals: 8, networks: ['ethereum'], prices: { EUR: '3000', USD: '3260' } };

/** The assets of the sandbox with their decimals, networks and fixed prices. */
export const SANDBOX_TOKENS: Readonly<Record<string, TokenFacts>> = { USDC, ETH };

/** The networks that the sandbox delivers on. */
export const SANDBOX_NETWORKS: readonly string[] = ['base', 'ethereum'];

/** The methods that are listed if a request names none. An off-ramp also accepts `crypto`, the user's side of the payment. */
export const SANDBOX_METHODS: Readonly<Record<Flow, readonly PaymentMethod[]>> = {
  on_ramp: ['card', 'bank_transfer'],
  off_ramp: ['bank_transfer'],
  swap: ['crypto'],
};

/** The method of a request that names none. */
export function defaultMethod(flow: Flow): PaymentMethod {
  switch (flow) {
    case 'on_ramp':
      return 'card';
    case 'off_ramp':
      return 'bank_transfer';
    case 'swap':
      return 'crypto';
  }
}

const USDC_ON_BASE: Asset = { token: 'USDC', network: 'base' };
const ETH_ON_ETHEREUM: Asset = { token: 'ETH', network: 'ethereum' };

/**
 * Returns the requested corridor, or the reason why there is none. Defaults: an on-ramp buys and an off-ramp sells USDC on base; a swap
 * converts ETH on ethereum to USDC on base, or USDC to ETH if ETH is the requested target. A token without a network implies its first
 * network, a network without a token its own token.
 */
export function findCorridor(terms: CorridorTerms): Corridor | CorridorRefusal {
  const currency = terms.currency.toUpperCase();
  if (!SANDBOX_CURRENCIES.includes(currency)) {
    return unsupported(`The sandbox serves ${SANDBOX_CURRENCIES.join(' and ')}, not ${currency}.`);
  }
  const assets = findAssets(terms);
  if ('code' in assets) return assets;
  const tooSmallOrLarge = outsideLimits(terms.amount, currency);
  if (tooSmallOrLarge !== null) return tooSmallOrLarge;
  return { flow: terms.flow, currency, ...assets };
}

type Assets = Pick<Corridor, 'source' | 'target'>;

function findAssets(terms: CorridorTerms): Assets | CorridorRefusal {
  switch (terms.flow) {
    case 'on_ramp': {
      const target = findAsset(terms.targetToken, terms.targetNetwork, USDC_ON_BASE);
      return 'code' in target ? target : { source: null, target };
    }
    case 'off_ramp': {
      const source = findAsset(terms.sourceToken, terms.sourceNetwork, USDC_ON_BASE);
      return 'code' in source ? source : { source, target: null };
    }
    case 'swap':
      return findSwap(terms);
  }
}

function findSwap(terms: CorridorTerms): Assets | CorridorRefusal {
  const named = findAsset(terms.sourceToken, terms.sourceNetwork, ETH_ON_ETHEREUM);
  if ('code' in named) return named;
  const target = findAsset(
    terms.targetToken,
    terms.targetNetwork,
    named.token === 'ETH' ? USDC_ON_BASE : ETH_ON_ETHEREUM,
  );
  if ('code' in target) return target;
  const isSourceOpen = terms.sourceToken === null && terms.sourceNetwork === null;
  const source = isSourceOpen && target.token === 'ETH' ? USDC_ON_BASE : named;
  if (source.token === target.token && source.network === target.network) {
    return unsupported(
      `A swap of ${source.token} on ${source.network} into itself changes nothing; choose another target.`,
    );
  }
  return { source, target };
}

function findAsset(tokenName: string | null, networkName: string | null, byDefault: Asset): Asset | CorridorRefusal {
  if (tokenName === null && networkName === null) return byDefault;
  const network = networkName?.toLowerCase() ?? null;
  if (network !== null && !SANDBOX_NETWORKS.includes(network)) {
    return unsupported(`The sandbox serves the networks ${SANDBOX_NETWORKS.join(' and ')}.`);
  }
  const token = tokenName?.toUpperCase() ?? (network === 'ethereum' ? 'ETH' : 'USDC');
  const facts = SANDBOX_TOKENS[token];
  const first = facts?.networks[0];
  if (facts === undefined || first === undefined) {
    return unsupported(`The sandbox serves the tokens ${Object.keys(SANDBOX_TOKENS).join(' and ')}.`);
  }
  if (network !== null && !facts.networks.includes(network)) {
    return {
      code: 'asset_network_mismatch',
      message: `${token} does not exist on ${network}; use ${facts.networks.join(' or ')}.`,
    };
  }
  return { token, network: network ?? first };
}

function outsideLimits(amount: string, currency: string): CorridorRefusal | null {
  const { minAmount, maxAmount } = SANDBOX_LIMITS;
  if (decimal.compare(amount, minAmount) < 0) {
    return { code: 'amount_below_minimum', message: `The smallest amount is ${minAmount} ${currency}.` };
  }
  if (decimal.compare(amount, maxAmount) > 0) {
    return { code: 'amount_above_maximum', message: `The largest amount is ${maxAmount} ${currency}.` };
  }
  return null;
}

function unsupported(message: string): CorridorRefusal {
  return { code: 'corridor_not_supported', message };
}

/** Null means that the country is not known yet; it then counts as served. */
export function isServedCountry(countryCode: string | null): boolean {
  return countryCode === null || SANDBOX_COUNTRIES.includes(countryCode.toUpperCase());
}

export function isServedMethod(flow: Flow, method: PaymentMethod): boolean {
  return SANDBOX_METHODS[flow].includes(method) || (flow === 'off_ramp' && method === 'crypto');
}
