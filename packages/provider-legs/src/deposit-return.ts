import { decimal, type Instant } from '@gateramp/core/domain';
import { depositKey } from './ledger.js';
import type { DepositReturn } from './operation.js';
import type { Deposit } from './ports/legs.js';
import type { Price } from './price.js';
import type { MarketLegs } from './route.js';

/** Whether the deposit is of the requested token. */
export function isRequested({ source }: Price, { asset, network }: Pick<Deposit, 'asset' | 'network'>): boolean {
  return asset === source.currency && network === source.network;
}

interface Token {
  readonly asset: string;
  readonly network: string;
}

/** A deposit, or the part of it, that goes back. */
export interface ReturnedPart {
  readonly deposit: Pick<Deposit, 'asset' | 'network' | 'hash' | 'index'>;
  readonly amount: string;
}

interface ReturnContext {
  readonly legs: Pick<MarketLegs, 'chain' | 'exchange'>;
  readonly price: Price;
  readonly now: Instant;
}

/**
 * The returns of deposits, one for each token. The network fee of the price is deducted, which is in the requested token; for other tokens
 * the house bears the fee. Amounts that are not worth the cost of a send are kept.
 */
export async function returnsOf(
  context: ReturnContext,
  parts: readonly ReturnedPart[],
): Promise<readonly DepositReturn[]> {
  const groups = new Map<string, ReturnedPart>();
  for (const part of parts) {
    const key = [part.deposit.asset, part.deposit.network].join('@');
    const before = groups.get(key);
    groups.set(key, before === undefined ? part : { ...before, amount: decimal.add(before.amount, part.amount) });
  }
  return Promise.all([...groups.values()].map((group) => returnOf(context, group)));
}

async function returnOf(context: ReturnContext, { deposit, amount }: ReturnedPart): Promise<DepositReturn> {
  const { legs, price } = context;
  const key = depositKey(deposit);
  if (isRequested(price, deposit) && decimal.isPositive(feeOf(price))) return lessFee(price, deposit, key, amount);
  const min = isRequested(price, deposit) ? undefined : servedOf(legs, deposit)?.minReturn;
  const isKept = min === undefined ? await isWorthless(context, deposit, amount) : decimal.compare(amount, min) < 0;
  const base = { deposit: key, asset: deposit.asset, network: deposit.network, ...NEW };
  return isKept ? { ...base, amount: '0', fee: amount, status: 'kept' } : { ...base, amount, fee: '0', status: 'due' };
}

/** The return of the amount that was accepted for the exchange, less the network fee. */
export function acceptedReturn(price: Price): DepositReturn {
  const { amount, currency: asset, network } = price.source;
  return lessFee(price, { asset, network: network ?? '' }, 'accepted', amount);
}

const NEW = { isCleared: false, isBooked: false } as const;

function lessFee(price: Price, { asset, network }: Token, deposit: string, amount: string): DepositReturn {
  const fee = feeOf(price);
  const base = { deposit, asset, network, ...NEW };
  if (decimal.compare(amount, fee) <= 0) return { ...base, amount: '0', fee: amount, status: 'kept' };
  return { ...base, amount: decimal.subtract(amount, fee), fee, status: 'due' };
}

function feeOf({ fees }: Price): string {
  return fees.find(({ type }) => type === 'network')?.amount ?? '0';
}

/** Where neither `network_fees` nor the gas of a send can be priced, a return must be worth this much of a currency. */
const WORTH_MIN = '0.01';

/**
 * Whether a send of the amount costs at least what the amount is worth: by the network fee in a currency, or by the gas of a send at the
 * moment. A token without a price, on a network whose gas it does not pay, is never worthless.
 */
async function isWorthless({ legs, now }: ReturnContext, token: Token, amount: string): Promise<boolean> {
  const { exchange, chain } = legs;
  const gas = (await chain.sendCost?.(token.network, token.asset).catch(() => null)) ?? null;
  if (gas?.asset === token.asset && decimal.compare(amount, gas.amount) <= 0) return true;
  const fees = servedOf(legs, token)?.networkFee ?? {};
  const priceIn = async (asset: string, currency: string) => {
    if (!exchange.pairs.some((pair) => pair.asset === asset && pair.currency === currency)) return null;
    const price = await exchange.price({ asset, currency }, now).catch(() => null);
    return price?.kind === 'price' ? price : null;
  };
  for (const { currency } of exchange.pairs.filter(({ asset }) => asset === token.asset)) {
    const price = await priceIn(token.asset, currency);
    if (price === null) continue;
    const worth = decimal.multiply(amount, price.bid);
    const gasPrice = gas === null || fees[currency] !== undefined ? null : await priceIn(gas.asset, currency);
    const cost =
      fees[currency] ?? (gas === null || gasPrice === null ? null : decimal.multiply(gas.amount, gasPrice.ask));
    return cost === null ? decimal.compare(worth, WORTH_MIN) < 0 : decimal.compare(worth, cost) <= 0;
  }
  return false;
}

function servedOf({ chain }: Pick<MarketLegs, 'chain'>, { asset, network }: Token) {
  return chain.networks.find((one) => one.network === network)?.assets.find((one) => one.asset === asset);
}
