import { decimal } from '@gateramp/core/domain';
import { depositKey } from './ledger.js';
import type { DepositReturn } from './operation.js';
import type { Deposit } from './ports/legs.js';
import type { Price } from './price.js';
import type { MarketLegs } from './route.js';

/** Whether the deposit is of the requested token. */
export function isRequested({ source }: Price, { asset, network }: Pick<Deposit, 'asset' | 'network'>): boolean {
  return asset === source.currency && network === source.network;
}

/**
 * The return of a deposit. The network fee of the price is deducted, which is in the requested token. For other tokens the house bears the
 * fee, and keeps deposits below their minimum (`minReturn`).
 */
export function returnOf(
  { legs, price }: { readonly legs: Pick<MarketLegs, 'chain'>; readonly price: Price },
  deposit: Pick<Deposit, 'asset' | 'network' | 'hash' | 'index'>,
  amount: string,
): DepositReturn {
  if (isRequested(price, deposit)) return lessFee(price, deposit, depositKey(deposit), amount);
  const isKept = decimal.compare(amount, minReturnOf(legs, deposit)) < 0;
  const base = { deposit: depositKey(deposit), asset: deposit.asset, network: deposit.network, ...NEW };
  return isKept ? { ...base, amount: '0', fee: amount, status: 'kept' } : { ...base, amount, fee: '0', status: 'due' };
}

/** The return of the amount that was accepted for the exchange, less the network fee. */
export function acceptedReturn(price: Price): DepositReturn {
  const { amount, currency: asset, network } = price.source;
  return lessFee(price, { asset, network: network ?? '' }, 'accepted', amount);
}

const NEW = { isCleared: false, isBooked: false } as const;

function lessFee(
  price: Price,
  { asset, network }: Pick<Deposit, 'asset' | 'network'>,
  deposit: string,
  amount: string,
): DepositReturn {
  const fee = price.fees.find(({ type }) => type === 'network')?.amount ?? '0';
  const base = { deposit, asset, network, ...NEW };
  if (decimal.compare(amount, fee) <= 0) return { ...base, amount: '0', fee: amount, status: 'kept' };
  return { ...base, amount: decimal.subtract(amount, fee), fee, status: 'due' };
}

function minReturnOf(
  { chain }: Pick<MarketLegs, 'chain'>,
  { asset, network }: Pick<Deposit, 'asset' | 'network'>,
): string {
  const assets = chain.networks.find((one) => one.network === network)?.assets ?? [];
  return assets.find((one) => one.asset === asset)?.minReturn ?? '0';
}
