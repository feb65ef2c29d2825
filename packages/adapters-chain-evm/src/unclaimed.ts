import { DEPOSIT_WATCH_MS } from '@gateramp/provider-legs';

import type { DepositBody, StoredDeposit } from './documents.js';
import type { Place } from './place.js';

/** Counts the alarm for a credited deposit that its operation does not look for any more. */
export function unclaimed(
  { network, grouped, now }: Place,
  { createdAt, address }: Pick<DepositBody, 'createdAt' | 'address'>,
  { asset, units, hash }: Pick<StoredDeposit, 'asset' | 'units' | 'hash'>,
): void {
  if (now() - createdAt < DEPOSIT_WATCH_MS) return;
  grouped.add('deposit_unclaimed', { network: network.network, address, asset, units, hash });
}
