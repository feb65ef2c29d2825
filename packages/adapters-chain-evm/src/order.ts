import type { SendOrder } from '@gateramp/provider-legs';

import { type Asset, addressProblem } from './assets.js';
import type { Failure } from './documents.js';
import type { Place } from './place.js';
import { limitReached, limitUnits } from './spending.js';

/** Why nothing is sent to the address, which another process may have given out; null when it is not one of our deposit addresses. */
export async function depositRefusal({ book }: Place, to: string): Promise<Failure | null> {
  if (book === null) return null;
  await book.refresh();
  return book.ownerOf(to) === null ? null : failure('wallet_address_invalid', DEPOSIT_ADDRESS);
}

/** Words for the buyer. */
export const DEPOSIT_ADDRESS = 'This address receives deposits for us. Enter the address of your wallet.';

const failure = (code: string, message: string): Failure => ({ code, message, retryable: false });

/** Why the order is refused in any state of the chain; null when it is not. */
export async function orderRefusal(
  place: Place,
  order: SendOrder,
  { asset, units }: { asset: Asset | undefined; units: bigint | null },
): Promise<Failure | null> {
  const { network, address, wallet } = place;
  if (asset === undefined)
    return failure('settlement_error', `${order.asset} is not served on ${network.displayName}.`);
  const problem = addressProblem(network, address, order.to);
  if (problem !== null) return failure('wallet_address_invalid', problem);
  const received = await depositRefusal(place, order.to);
  if (received !== null) return received;
  if (units === null || units === 0n)
    return failure('settlement_error', `The amount is not payable in ${order.asset}.`);
  const limit = limitUnits(wallet.maxPerSend, asset);
  return limit !== null && units > limit ? limitReached(place, asset) : null;
}
