import { type Hash, isAddressEqual } from 'viem';

import type { Place } from './place.js';
import { RpcOutageError } from './rpc.js';

/**
 * Finds the transaction that spent a nonce of the wallet in the blocks `from` to `to`, and reads it from its block. Null when there
 * is none, or when the node no longer has the old states.
 */
export async function findSpender(
  { rpc, address }: Place,
  { nonce, from, to }: { nonce: number; from: number; to: number },
): Promise<Hash | null> {
  try {
    if (to < from || (await rpc.transactionCount(address, to)) <= nonce) return null;
    let low = from;
    let high = to;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await rpc.transactionCount(address, middle)) > nonce) high = middle;
      else low = middle + 1;
    }
    const block = await rpc.fullBlockAt(low);
    const spender = block?.transactions.find((found) => isAddressEqual(found.from, address) && found.nonce === nonce);
    return spender?.hash ?? null;
  } catch (error) {
    if (error instanceof RpcOutageError) throw error;
    return null;
  }
}
