import type { Hash } from 'viem';
import { parseAbiItem } from 'viem';

import type { AddressBook, Owner } from './address-book.js';
import type { StoredDeposit } from './documents.js';
import type { Place } from './place.js';
import { type FullBlock, type Rpc, RpcOutageError } from './rpc.js';

/** A transfer to a deposit address. `asset` is null for a token that is not configured. */
export interface Arrival {
  readonly owner: Owner;
  readonly asset: string | null;
  readonly token: string;
  readonly hash: Hash;
  readonly index: number;
  readonly units: bigint;
  readonly block: number;
}

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');
/** The maximum number of receivers in one request for logs. */
const RECEIVERS_MAX = 1_000;
/** The `index` of a transfer of native coins, of which a transaction has at most one. */
const NATIVE_INDEX = -1;

/** Finds token transfers to known addresses, in one block by its hash or in a range of final blocks. */
export async function tokenArrivals(
  { assets }: Place,
  rpc: Rpc,
  { book, blocks }: { book: AddressBook; blocks: { hash: Hash } | { from: number; to: number } },
): Promise<readonly Arrival[]> {
  const receivers = book.owners().map(({ address }) => address);
  const range =
    'hash' in blocks ? { blockHash: blocks.hash } : { fromBlock: BigInt(blocks.from), toBlock: BigInt(blocks.to) };
  const arrivals: Arrival[] = [];
  for (let at = 0; at < receivers.length; at += RECEIVERS_MAX) {
    const to = receivers.slice(at, at + RECEIVERS_MAX);
    const logs = await rpc.ask(() => rpc.client.getLogs({ ...range, event: TRANSFER, args: { to }, strict: true }));
    // The position among the transfers to one address in its transaction. Unlike the log index, it survives a reorganization.
    const counts = new Map<string, number>();
    for (const log of logs.toSorted((a, b) => a.logIndex - b.logIndex)) {
      if (log.removed || ('hash' in blocks && log.blockHash !== blocks.hash))
        throw new RpcOutageError('The RPC answered with logs of another block.');
      const owner = book.ownerOf(log.args.to);
      if (owner === null) continue;
      const key = [log.transactionHash, owner.address].join(' ');
      const index = counts.get(key) ?? 0;
      counts.set(key, index + 1);
      const token = assets.find((asset) => asset.token?.toLowerCase() === log.address.toLowerCase());
      arrivals.push({
        owner,
        asset: token?.asset ?? null,
        token: log.address,
        hash: log.transactionHash,
        index,
        units: log.args.value,
        block: Number(log.blockNumber),
      });
    }
  }
  return arrivals;
}

/** Finds transfers of native coins to known addresses in the transactions of the block, without coins that contracts pass on. */
export async function nativeArrivals(
  { network, rpc }: Place,
  book: AddressBook,
  block: FullBlock,
): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  for (const { hash, to, value } of block.transactions) {
    const owner = to === null || value === 0n ? null : book.ownerOf(to);
    if (owner === null) continue;
    const receipt = await rpc.receipt(hash);
    if (receipt === null || receipt.blockHash !== block.hash)
      throw new RpcOutageError('The RPC has no receipt for a transaction of its block.');
    if (receipt.status !== 'success') continue;
    const asset = network.native;
    arrivals.push({ owner, asset, token: asset, hash, index: NATIVE_INDEX, units: value, block: block.number });
  }
  return arrivals;
}

/** Whether both are the same transfer. */
export const isSame = (a: Pick<StoredDeposit, 'hash' | 'index'>, b: Pick<StoredDeposit, 'hash' | 'index'>) =>
  a.hash === b.hash && a.index === b.index;
