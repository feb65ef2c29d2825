import { stripeFiat, stripePages, STRIPE_PAGES } from '@gateramp/adapters-fiat-stripe';
import { evmChain, type EvmChain, type EvmNetworkOptions } from '@gateramp/adapters-chain-evm';
import type { Mode } from '@gateramp/core';
import { decimal } from '@gateramp/core/domain';
import type { GateClock } from '@gateramp/core/runtime';
import {
  fakeFiat,
  fixedPrices,
  fixedSpread,
  legs,
  type ExchangeLeg,
  type ExchangePair,
  type FiatLeg,
  type LedgerPosition,
  type LegsProvider,
  type LegsStore,
  type ReviewOptions,
  type TokenAmount,
} from '@gateramp/provider-legs';
import Stripe from 'stripe';
import { fallback, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { RaisedAlarm } from '../monitoring/alarms.js';
import { httpPrices } from './http-prices.js';
import { hostsOf } from './legs-checks.js';
import { identityOf, screeningOf } from './service-legs.js';
import { hasPriceUrl, type LegsConfig, type NetworkFile } from './legs-file.js';

/** The provider of a legs file, and its background work. */
export interface OpenLegs {
  readonly provider: LegsProvider;
  readonly chain: EvmChain;
  readonly exchange: ExchangeLeg;
  /** The pages of the fiat leg, and the mode whose API serves them; null if it has none. */
  readonly pages: LegPages | null;
  /** What the chain and the processor say about the balances of the ledger. */
  positions(): Promise<readonly LedgerPosition[]>;
  /** Starts the background work, by these clocks. `report` receives what it finds at the processor. */
  start(clock: Pick<GateClock, 'now' | 'sandboxes' | 'skipsStepped'>, report?: ReviewOptions['report']): void;
  stop(): Promise<void>;
}

/** Pages that a leg shows in the buyer's browser. */
export interface LegPages {
  readonly mode: Mode;
  /** Their path prefix. */
  readonly prefix: string;
  /** The address of the API for browsers, which may have a path; and its origin. */
  readonly api: string;
  readonly origin: string;
  readonly answer: (request: Request) => Promise<Response>;
}

/** The addresses of each mode's API for browsers, and of the checkouts that frame its pages. */
export interface PagesPlace {
  readonly apiOf: Readonly<Record<Mode, string>>;
  readonly framedBy: readonly string[];
}

/** The store of the legs, and the callbacks for problems. */
interface LegsPorts {
  readonly store: LegsStore;
  readonly alarm: (name: RaisedAlarm, fields: Readonly<Record<string, string | number>>) => void;
  readonly onError: (error: unknown) => void;
  /** Null in a process without listeners. */
  readonly place?: PagesPlace | null;
}

const CURRENCIES: readonly string[] = ['EUR', 'USD'];
const POLL_MS = 2_000;
const FINALITY_DEPTH = 64;

/** Builds the legs. Connects to nothing yet: an unreachable network makes its flows unavailable, but does not prevent the start. */
export function openLegs(config: LegsConfig, ports: LegsPorts): OpenLegs {
  const { store, alarm, onError } = ports;
  const { wallet, deposits, networks } = config.chain;
  const exchange = exchangeOf(config, ports);
  const chain = evmChain({
    networks: networks.map(networkOf),
    wallet: {
      account: privateKeyToAccount(wallet.privateKey),
      maxPerSend: wallet.max_per_send,
      maxPerDay: wallet.max_per_day,
      floor: wallet.floor,
    },
    ...(deposits === null ? {} : { deposits }),
    store,
    alarm,
    worth: (amount, native) => worthOf(exchange, amount, native),
  });
  const pages = pagesOf(config, ports.place ?? null);
  const provider = legs({
    modes: config.modes,
    store,
    fiat: fiatOf(config, ports, pages),
    exchange,
    chain,
    screening: screeningOf(config.screening),
    identity: identityOf(config.identity, store),
    names: namesOf(config),
    depositPrice: {
      heldMs: config.deposit_price.held_minutes * 60_000,
      requoteAfterBps: config.deposit_price.requote_after_bps,
    },
    alarm,
  });
  let worker: ReturnType<LegsProvider['startWorker']> | null = null;
  return {
    provider,
    chain,
    exchange,
    pages,
    positions: async () => [...(await chain.positions()), ...(await provider.positions())],
    start: ({ now, sandboxes, skipsStepped }, report) => {
      chain.start();
      worker = provider.startWorker({ now, sandboxes, skipsStepped, onError, report });
    },
    stop: async () => {
      await worker?.stop();
      await chain.stop();
    },
  };
}

/** The limits and fixed fee of card payments, as in the sandbox. */
const CARD_LIMITS = { minAmount: '1.00', maxAmount: '10000.00', feeFixed: '0.00' } as const;
const STRIPE_TIMEOUT_MS = 15_000;

function fiatOf({ fiat }: LegsConfig, { store, alarm }: LegsPorts, pages: LegPages | null): FiatLeg {
  if (fiat.type === 'fake') return fakeFiat({ store, currencies: CURRENCIES });
  const api = fiat.apiUrl === null ? null : new URL(fiat.apiUrl);
  const stripe = new Stripe(fiat.secretKey, {
    timeout: STRIPE_TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(api === null ? {} : { protocol: 'http', host: api.hostname, port: api.port }),
  });
  const { publicKey, webhookSecret, feeBps } = fiat;
  return stripeFiat({
    stripe,
    publicKey,
    webhookSecret,
    store,
    alarm,
    methods: CURRENCIES.map((currency) => ({ ...CARD_LIMITS, type: 'card', currency, feeBps })),
    ...(pages === null ? {} : { componentUrl: `${pages.api}${pages.prefix}component` }),
  });
}

function pagesOf({ fiat, modes }: LegsConfig, place: PagesPlace | null): LegPages | null {
  const [mode] = modes;
  if (fiat.type !== 'stripe' || place === null || mode === undefined) return null;
  const answer = stripePages({ framedBy: place.framedBy });
  const api = place.apiOf[mode].replace(/\/$/, '');
  return { mode, prefix: STRIPE_PAGES, api, origin: new URL(api).origin, answer };
}

function networkOf(file: NetworkFile): EvmNetworkOptions {
  return {
    network: file.network,
    displayName: file.display_name ?? capitalised(file.network),
    chainId: file.chain_id,
    fees: file.fees,
    native: file.native,
    tokens: file.tokens,
    confirmations: file.confirmations,
    ...(file.deposit_confirmations === undefined ? {} : { depositConfirmations: file.deposit_confirmations }),
    ...(file.finality === undefined ? {} : { finality: file.finality }),
    finalityDepth: FINALITY_DEPTH,
    txUrl: file.tx_url,
    pollMs: POLL_MS,
    networkFees: file.network_fees,
    minReturns: file.min_returns,
    ...(file.reconcile_rpc_url === undefined ? {} : { reconcileTransport: http(file.reconcile_rpc_url) }),
    ...(file.gas_ceiling_gwei === undefined ? {} : { gasCeilingGwei: file.gas_ceiling_gwei }),
    feeMultipleMax: file.fee_multiple_max,
    feeShareMaxBps: file.fee_share_max_bps,
    headMaxAgeMs: file.head_max_age_seconds * 1_000,
    transport: fallback(file.rpc_urls.map((url) => http(url))),
  };
}

/** Digits after the point of an amount of a native coin. */
const WORTH_DECIMALS = 18;

/** The value of an amount in another asset, by the prices of both in the first currency that has them; null without such prices. */
async function worthOf(exchange: ExchangeLeg, { asset, amount }: TokenAmount, native: string): Promise<string | null> {
  const now = Date.now();
  const priceOf = async (one: string, currency: string) => {
    const pair = exchange.pairs.find((known) => known.asset === one && known.currency === currency);
    return pair === undefined ? null : exchange.price(pair, now);
  };
  for (const currency of CURRENCIES) {
    const [given, taken] = await Promise.all([priceOf(asset, currency), priceOf(native, currency)]);
    if (given?.kind !== 'price' || taken?.kind !== 'price') continue;
    return decimal.divideDown(decimal.multiply(amount, given.bid), taken.ask, WORTH_DECIMALS);
  }
  return null;
}

/** Of several sources, two agree by default. */
const QUORUM = 2;

function exchangeOf({ exchange, chain }: LegsConfig, { store, alarm }: Pick<LegsPorts, 'store' | 'alarm'>) {
  const { spread_bps: spreadBps, prices } = exchange;
  if (!hasPriceUrl(prices)) {
    const pairs = Object.keys(prices).map(pairOf);
    return fixedSpread({ pairs, sources: [fixedPrices(prices)], spreadBps });
  }
  const { url, urls = url === undefined ? [] : [url] } = prices;
  const assets = new Set(chain.networks.flatMap(({ native, tokens }) => [native, ...tokens.map(({ asset }) => asset)]));
  const all = [...assets].flatMap((asset) => CURRENCIES.map((currency) => ({ asset, currency })));
  return fixedSpread({
    pairs: prices.pairs?.map(pairOf) ?? all,
    sources: urls.map((url) => httpPrices(url)),
    quorum: prices.quorum ?? Math.min(QUORUM, hostsOf(urls)),
    spreadBps,
    maxAgeMs: prices.max_age_seconds * 1_000,
    trust: { store, maxJumpBps: prices.max_jump_bps, alarm },
  });
}

function pairOf(name: string): ExchangePair {
  const [asset = '', currency = ''] = name.split('/');
  return { asset, currency };
}

/** English names of the codes in the file. */
function namesOf({ countries, chain }: LegsConfig) {
  const regions = new Intl.DisplayNames('en', { type: 'region' });
  const currencies = new Intl.DisplayNames('en', { type: 'currency' });
  return {
    countries: countries.map((code) => ({ code, name: regions.of(code) ?? code })),
    currencies: Object.fromEntries(CURRENCIES.map((code) => [code, currencies.of(code) ?? code])),
    assets: Object.fromEntries(
      chain.networks.flatMap(({ tokens }) => tokens.map(({ asset }) => [asset, asset] as const)),
    ),
  };
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
