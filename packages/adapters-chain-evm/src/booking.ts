import { type LedgerEntry, tokenAccount, tokenCurrency } from '@gateramp/provider-legs';
import { formatUnits } from 'viem';

import type { Kinds, Units } from './documents.js';
import type { Place } from './place.js';

/** Units of one asset; zero when it is missing. */
export const unitsIn = (units: Units | undefined, asset: string): bigint => BigInt(units?.[asset] ?? '0');

export function textOf(units: ReadonlyMap<string, bigint>): Units {
  return Object.fromEntries([...units].map(([asset, amount]) => [asset, String(amount)]));
}

/** Credited units of a deposit address up to a block, by asset. */
export function creditedUnits({ deposits }: Kinds['evm_deposit']['body'], block: number): ReadonlyMap<string, bigint> {
  const credited = new Map<string, bigint>();
  for (const { asset, units, block: at, creditedAt, by } of deposits)
    if (creditedAt !== null && by !== 'own' && at <= block)
      credited.set(asset, (credited.get(asset) ?? 0n) + BigInt(units));
  return credited;
}

/** The entry that changes the balances of the network by these units, or none if all are zero. */
export function entryOf(
  { network: { network }, assets, now }: Place,
  { id, operationId, against }: { readonly id: string; readonly operationId: string; readonly against: string },
  units: ReadonlyMap<string, bigint>,
): readonly LedgerEntry[] {
  const postings = assets.flatMap(({ asset, decimals }) => {
    const change = units.get(asset) ?? 0n;
    if (change === 0n) return [];
    const currency = tokenCurrency({ asset, network });
    return [
      { account: tokenAccount(network), currency, amount: formatUnits(change, decimals) },
      { account: against, currency, amount: formatUnits(-change, decimals) },
    ];
  });
  return postings.length === 0 ? [] : [{ id, operationId, at: now(), postings }];
}
