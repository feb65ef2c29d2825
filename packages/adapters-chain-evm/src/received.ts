import { type Address, isAddressEqual } from 'viem';

import { balancesAt } from './balances.js';
import type { Place } from './place.js';
import { type FullBlock, RpcOutageError, TRANSFER } from './rpc.js';
import type { Arrival } from './transfers.js';

/**
 * Lowers transfers of tokens whose logs say more than the balance of the address gained in their block, such as those of a token that takes
 * a fee. Where the node has no balances of the block, the logs count. Throws `RpcOutageError` when it does not answer.
 */
export async function inFull(
  place: Place,
  block: FullBlock,
  arrivals: readonly Arrival[],
): Promise<readonly Arrival[]> {
  if (arrivals.length === 0 || block.number === 0) return arrivals;
  const { rpc, assets, network, alarms } = place;
  const owners = [...new Set(arrivals.map(({ owner }) => owner.address))];
  const parent = await rpc.blockAt(block.number - 1);
  if (parent === null) throw new RpcOutageError('The RPC does not have the parent of its block.');
  const [before, after] = await Promise.all(
    [parent, block].map((one) => balancesAt(place, rpc, { owners, block: one })),
  ).catch(unlessOutage([]));
  if (before === undefined || after === undefined) return arrivals;
  const lowered: Arrival[] = [];
  for (const [nth, address] of owners.entries())
    for (const { asset, token } of assets) {
      const logged = arrivals.filter((one) => one.owner.address === address && one.asset === asset);
      const [first] = logged;
      if (first === undefined || token === null) continue;
      const total = logged.reduce((sum, { units }) => sum + units, 0n);
      const [earlier, later] = [before[nth]?.get(asset) ?? null, after[nth]?.get(asset) ?? null];
      if (earlier === null || later === null || later - earlier >= total) {
        lowered.push(...logged);
        continue;
      }
      const spent = await spentIn(place, { block, token, address });
      const gained = spent === null ? total : later - earlier + spent;
      lowered.push(...(gained >= total ? logged : reduced(logged, gained)));
      if (gained >= total) continue;
      const label = { network: network.network, asset, token, address, hash: first.hash };
      alarms.raise('token_fee_on_transfer', { ...label, logged: String(total), arrived: String(gained) });
    }
  return lowered;
}

/** What the logs of the block say that the address sent; null when the node refuses the request. */
async function spentIn(
  { rpc }: Place,
  { block, token, address }: { readonly block: FullBlock; readonly token: Address; readonly address: Address },
): Promise<bigint | null> {
  const filter = {
    blockHash: block.hash,
    address: token,
    event: TRANSFER,
    args: { from: address },
    strict: true,
  } as const;
  const logs = await rpc.ask(() => rpc.client.getLogs(filter)).catch(unlessOutage(null));
  if (logs === null) return null;
  return logs.reduce((sum, log) => (isAddressEqual(log.address, token) ? sum + log.args.value : sum), 0n);
}

/** Handles a refusal with `fallback`. After an outage the round is repeated, since what is not known may be a fee. */
function unlessOutage<T>(fallback: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof RpcOutageError) throw error;
    return fallback;
  };
}

/** The transfers of which only `gained` arrived: the first ones in full, without those of which nothing did. */
function reduced(arrivals: readonly Arrival[], gained: bigint): readonly Arrival[] {
  let left = gained;
  return arrivals.flatMap((arrival) => {
    const units = arrival.units < left ? arrival.units : left;
    left -= units;
    return units > 0n ? [{ ...arrival, units }] : [];
  });
}
