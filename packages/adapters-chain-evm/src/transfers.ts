import type { Hash } from 'viem';

import type { AddressBook, Owner } from './address-book.js';
import type { StoredDeposit } from './documents.js';
import { transferLogs } from './logs.js';
import type { Place } from './place.js';
import { type FullBlock, type Rpc, RpcOutageError } from './rpc.js';

/** A transfer of a configured token, or of native coins, to a deposit address. */
export interface Arrival {
  readonly owner: Owner;
  readonly asset: string;
  readonly hash: Hash;
  readonly index: number;
  readonly units: bigint;
  readonly block: number;
  /** Whether the operator sent it, such as coins for the gas of a sweep. */
  readonly isOwn: boolean;
}

/** The `index` of a transfer of native coins, of which a transaction has at most one. */
const NATIVE_INDEX = -1;
/** The number of receipts that are requested at the same time. */
const RECEIPTS_AT_ONCE = 20;

/**
 * Finds transfers of configured tokens to known addresses, in one block by its hash or in a range of final blocks, and the last block
 * that was read. Other contracts can log anything, and anyone can transfer zero, so both are ignored.
 */
export async function tokenArrivals(
  place: Place,
  rpc: Rpc,
  { book, blocks }: { book: AddressBook; blocks: { hash: Hash } | { from: number; to: number } },
): Promise<{ readonly arrivals: readonly Arrival[]; readonly to: number }> {
  const { assets } = place;
  const tokens = assets.flatMap(({ token }) => (token === null ? [] : [token]));
  const receivers = book.owners().map(({ address }) => address);
  if (tokens.length === 0 || receivers.length === 0) return { arrivals: [], to: 'to' in blocks ? blocks.to : 0 };
  const { logs, to } = await transferLogs(rpc, { tokens, receivers, blocks });
  const arrivals: Arrival[] = [];
  // The position among the transfers to one address in its transaction. Unlike the log index, it survives a reorganization.
  const counts = new Map<string, number>();
  for (const { address, args, transactionHash: hash, blockNumber } of logs) {
    const owner = book.ownerOf(args.to);
    const listed = assets.find(({ token }) => token?.toLowerCase() === address.toLowerCase());
    if (owner === null || listed === undefined || args.value === 0n || hash === null || blockNumber === null) continue;
    const key = [hash, owner.address].join(' ');
    const index = counts.get(key) ?? 0;
    counts.set(key, index + 1);
    const transfer = { asset: listed.asset, hash, index, units: args.value, block: Number(blockNumber) };
    arrivals.push({ owner, ...transfer, isOwn: isOurs(place, book, args.from) });
  }
  return { arrivals, to };
}

/** Finds transfers of native coins to known addresses in the transactions of the block, without coins that contracts pass on. */
export async function nativeArrivals(place: Place, book: AddressBook, block: FullBlock): Promise<readonly Arrival[]> {
  const { network, rpc } = place;
  const found = block.transactions.flatMap(({ hash, from, to, value }) => {
    const owner = to === null || value === 0n ? null : book.ownerOf(to);
    return owner === null ? [] : [{ owner, hash, value, isOwn: isOurs(place, book, from) }];
  });
  const arrivals: Arrival[] = [];
  for (let at = 0; at < found.length; at += RECEIPTS_AT_ONCE) {
    const some = found.slice(at, at + RECEIPTS_AT_ONCE);
    const receipts = await Promise.all(some.map(({ hash }) => rpc.receipt(hash)));
    for (const [nth, { owner, hash, value, isOwn }] of some.entries()) {
      const receipt = receipts[nth] ?? null;
      if (receipt === null || receipt.blockHash !== block.hash)
        throw new RpcOutageError('The RPC has no receipt for a transaction of its block.');
      if (receipt.status !== 'success') continue;
      const transfer = { asset: network.native, hash, index: NATIVE_INDEX, units: value, block: block.number };
      arrivals.push({ owner, ...transfer, isOwn });
    }
  }
  return arrivals;
}

/** Whether the operator has the key of the address. */
function isOurs({ ownAddresses }: Place, book: AddressBook, address: string): boolean {
  return ownAddresses.has(address.toLowerCase()) || book.ownerOf(address) !== null;
}

type Known = Pick<StoredDeposit, 'hash' | 'index' | 'asset' | 'units'>;

/**
 * Pairs each arrival of one address with the stored deposit that records it, if there is one. A transfer of the same token in the same
 * transaction is the same deposit: its position may have changed, and its units where another amount arrived than was logged.
 */
export function paired<Stored extends Known>(
  arrivals: readonly Arrival[],
  stored: readonly Stored[],
): readonly { readonly arrival: Arrival; readonly known: Stored | null }[] {
  const byHash = new Map<string, Stored[]>();
  for (const one of stored) byHash.set(one.hash, [...(byHash.get(one.hash) ?? []), one]);
  const taken = new Map<Arrival, Stored>();
  const rules: readonly ((arrival: Arrival, known: Stored) => boolean)[] = [
    ({ index, units }, known) => known.index === index && known.units === String(units),
    ({ units }, known) => known.units === String(units),
    () => true,
  ];
  for (const isMatch of rules)
    for (const arrival of arrivals) {
      const left = byHash.get(arrival.hash) ?? [];
      if (taken.has(arrival)) continue;
      const at = left.findIndex((known) => known.asset === arrival.asset && isMatch(arrival, known));
      const [known] = at < 0 ? [] : left.splice(at, 1);
      if (known !== undefined) taken.set(arrival, known);
    }
  return arrivals.map((arrival) => ({ arrival, known: taken.get(arrival) ?? null }));
}

/** Whether both are the same transfer. */
export const isSame = (a: Pick<StoredDeposit, 'hash' | 'index'>, b: Pick<StoredDeposit, 'hash' | 'index'>) =>
  a.hash === b.hash && a.index === b.index;
