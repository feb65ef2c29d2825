import { type Hash, isAddressEqual } from 'viem';

import type { Place } from './place.js';
import { type ChainTransaction, type FullBlock, RpcOutageError } from './rpc.js';

/** A transaction of the wallet in a block. */
export interface Spender {
  readonly transaction: ChainTransaction & { readonly hash: Hash };
  readonly block: FullBlock;
}

/**
 * Finds the transaction that spent a nonce of the wallet in the blocks `from` to `to`. Looks at the newest states first, since many nodes
 * have no others; without the states, reads the newest blocks. Null when there is none, or when the node does not show it.
 */
export async function findSpender(
  place: Place,
  { nonce, from, to }: { nonce: number; from: number; to: number },
): Promise<Spender | null> {
  if (to < from) return null;
  const number = await firstWithCountAbove(place, { nonce, from, to });
  if (number === 'none') return null;
  if (number !== 'unknown') return spenderIn(place, await place.rpc.fullBlockAt(number), nonce);
  for (let at = to; at >= from && at > to - SCANNED_MAX; at -= 1) {
    const found = spenderIn(place, await place.rpc.fullBlockAt(at), nonce);
    if (found !== null) return found;
  }
  return null;
}

/** The number of blocks to read one by one on a node without old states. */
const SCANNED_MAX = 500;

function spenderIn({ address }: Place, block: FullBlock | null, nonce: number): Spender | null {
  const transaction = block?.transactions.find((one) => isAddressEqual(one.from, address) && one.nonce === nonce);
  return block === null || transaction === undefined ? null : { transaction, block };
}

/** The first block after which the nonce is spent. `unknown`: the node does not have the states. */
async function firstWithCountAbove(
  { rpc, address }: Place,
  { nonce, from, to }: { nonce: number; from: number; to: number },
): Promise<number | 'none' | 'unknown'> {
  try {
    if ((await rpc.transactionCount(address, to)) <= nonce) return 'none';
    let high = to;
    let low = from;
    for (let step = 1; high > from; step *= 2) {
      const earlier = Math.max(from, high - step);
      if ((await rpc.transactionCount(address, earlier)) > nonce) high = earlier;
      else {
        low = earlier + 1;
        break;
      }
    }
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await rpc.transactionCount(address, middle)) > nonce) high = middle;
      else low = middle + 1;
    }
    return high;
  } catch (error) {
    if (error instanceof RpcOutageError) throw error;
    return 'unknown';
  }
}
