import { decimal } from '@gateramp/core/domain';
import { depositKey } from './ledger.js';
import type { DepositReturn } from './operation.js';
import type { Deposit } from './ports/legs.js';
import type { Price } from './price.js';

/** Whether the deposit is of the token that was asked for. */
export function isAsked({ source }: Price, { asset, network }: Pick<Deposit, 'asset' | 'network'>): boolean {
  return asset === source.currency && network === source.network;
}

/** Less the network fee of the price, which is in the token that was asked for; the house bears it for other tokens. */
export function returnOf(
  price: Price,
  deposit: Pick<Deposit, 'asset' | 'network' | 'hash' | 'index'>,
  amount: string,
): DepositReturn {
  const quoted = price.fees.find(({ type }) => type === 'network')?.amount ?? '0';
  const fee = isAsked(price, deposit) ? quoted : '0';
  const base = { deposit: depositKey(deposit), asset: deposit.asset, network: deposit.network, isBooked: false };
  if (decimal.compare(amount, fee) <= 0) return { ...base, amount: '0', fee: amount, status: 'kept' };
  return { ...base, amount: decimal.subtract(amount, fee), fee, status: 'due' };
}

/** Everything that was accepted for the exchange, less the network fee. */
export function acceptedReturn(price: Price): DepositReturn {
  const { amount, currency: asset, network } = price.source;
  const sent = returnOf(price, { asset, network: network ?? '', hash: '', index: 0 }, amount);
  return { ...sent, deposit: 'accepted' };
}
