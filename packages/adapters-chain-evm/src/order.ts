import type { SendOrder } from '@gateramp/provider-legs';

import { type Asset, addressProblem } from './assets.js';
import type { Failure } from './documents.js';
import type { Place } from './place.js';
import { limitReached, limitUnits } from './spending.js';

/** Why the order is refused in any state of the chain; null when it is not. */
export function orderRefusal(
  place: Place,
  order: SendOrder,
  { asset, units }: { asset: Asset | undefined; units: bigint | null },
): Failure | null {
  const { network, address, wallet } = place;
  const failure = (code: string, message: string) => ({ code, message, retryable: false });
  if (asset === undefined)
    return failure('settlement_error', `${order.asset} is not served on ${network.displayName}.`);
  const problem = addressProblem(network, address, order.to);
  if (problem !== null) return failure('wallet_address_invalid', problem);
  if (units === null || units === 0n)
    return failure('settlement_error', `The amount is not payable in ${order.asset}.`);
  const limit = limitUnits(wallet.maxPerSend, asset);
  return limit !== null && units > limit ? limitReached(place, asset) : null;
}
