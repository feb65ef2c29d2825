import type { AddressBook, Owner } from './address-book.js';
import type { CursorBody, Kinds } from './documents.js';
import type { Place } from './place.js';
import { readAgain } from './read-again.js';
import { requiredOf } from './required.js';
import { LOG_LIMITS, type Rpc } from './rpc.js';
import { type Arrival, paired, tokenArrivals } from './transfers.js';

/** The maximum number of final blocks in one round. */
const RANGE_MAX = LOG_LIMITS.blocks;
/** How long the credits of a deposit address are compared after its creation. */
const COMPARED_FOR_MS = 7 * 24 * 3_600_000;

/** A cursor that has not moved for so long does not catch up: the watcher's RPC may show it no new blocks. */
const STALLED_MS = 5 * 60_000;
/** How long the comparison may not be up to date. */
const BEHIND_MS = 10 * 60_000;

/** Compares the deposits of one network with a second RPC. */
export interface Reconciler {
  round(): Promise<void>;
}

/**
 * Compares the credited deposits with the final blocks of a second RPC, up to where the watcher should have credited them. It credits
 * nothing: a missing deposit raises an alarm, and the watcher reads its block again.
 */
export function reconcilerOn(place: Place, rpc: Rpc, book: AddressBook): Reconciler {
  const { network, alarms, now } = place;
  let currentAt = now();
  return {
    async round() {
      // Raised before the RPC is asked: one that does not answer, or refuses, keeps the comparison behind too.
      alarms.hold(now() - currentAt >= BEHIND_MS, 'reconciler_behind', { network: network.network });
      if (await compareRange(place, rpc, book)) currentAt = now();
    },
  };
}

/** Compares the next blocks. True when none are left. */
async function compareRange(place: Place, rpc: Rpc, book: AddressBook): Promise<boolean> {
  const { documents, network, now } = place;
  const cursor = await documents.load('evm_cursor', network.network);
  if (cursor === null) return true;
  const head = await rpc.head();
  await book.refresh();
  const finalized = Math.min(await rpc.finalized(head, network.finalityDepth), head.number - requiredOf(place));
  const stored: Kinds['evm_reconciled'] = (await documents.load('evm_reconciled', network.network)) ?? {
    id: network.network,
    version: 0,
    status: 'active',
    dueAt: null,
    body: { block: Math.max(0, (cursor.body.headers[0]?.number ?? 0) - 1) },
  };
  const { number } = cursor.body;
  const watcher = stored.body.watcher?.number === number ? stored.body.watcher : { number, since: now() };
  const reached = now() - watcher.since >= STALLED_MS ? finalized : creditedUpTo(place, cursor.body);
  const from = stored.body.block + 1;
  const target = Math.min(finalized, reached);
  if (target < from) {
    const body = { ...stored.body, watcher };
    if (watcher !== stored.body.watcher) await documents.commit({ kind: 'evm_reconciled', next: { ...stored, body } });
    return true;
  }

  const wanted = { from, to: Math.min(target, from + RANGE_MAX - 1) };
  const { arrivals, to } = await tokenArrivals(place, rpc, { book, blocks: wanted });
  const missed: Arrival[] = [];
  for (const [owner, ofOwner] of byOwner(arrivals)) {
    if (owner.network !== network.network) continue;
    const found = await missedOf(place, owner, ofOwner);
    missed.push(...found);
    const [first] = found;
    if (first === undefined) continue;
    const label = { network: network.network, call: owner.callId, address: owner.address };
    place.alarms.raise('deposit_missed', { ...label, hash: first.hash, asset: first.asset, count: found.length });
  }
  for (const owner of book.owners())
    if (owner.network === network.network && now() - owner.createdAt < COMPARED_FOR_MS)
      await compareCredits(place, { owner, arrivals, from, to });

  const body = { ...stored.body, block: to, watcher };
  const isCommitted = await documents.commit({ kind: 'evm_reconciled', next: { ...stored, body } });
  const first = missed.toSorted((a, b) => a.block - b.block)[0];
  if (isCommitted && first !== undefined) await readAgain(place, rpc, first.block);
  return isCommitted && to >= target;
}

/** The last block whose deposits the watcher has credited, if it saw them. */
function creditedUpTo(place: Place, { number, finalized }: CursorBody): number {
  return place.network.finality === 'tag' ? Math.min(number, finalized) : number - requiredOf(place) + 1;
}

function byOwner(arrivals: readonly Arrival[]): ReadonlyMap<Owner, readonly Arrival[]> {
  const groups = new Map<Owner, Arrival[]>();
  for (const arrival of arrivals) {
    const before = groups.get(arrival.owner);
    if (before === undefined) groups.set(arrival.owner, [arrival]);
    else before.push(arrival);
  }
  return groups;
}

async function missedOf({ documents }: Place, { callId }: Owner, arrivals: readonly Arrival[]) {
  const stored = await documents.load('evm_deposit', callId);
  const credits = stored?.body.deposits.filter(({ creditedAt, by }) => creditedAt !== null || by === 'own') ?? [];
  return paired(arrivals, credits).flatMap(({ arrival, known }) => (known === null && !arrival.isOwn ? [arrival] : []));
}

/** Raises an alarm for credits of tokens without a transfer. */
async function compareCredits(
  place: Place,
  { owner, arrivals, from, to }: { owner: Owner; arrivals: readonly Arrival[]; from: number; to: number },
): Promise<void> {
  const { documents, network, alarms, assets } = place;
  const stored = await documents.load('evm_deposit', owner.callId);
  if (stored === null) return;
  const tokens = new Set(assets.flatMap(({ asset, token }) => (token === null ? [] : [asset])));
  const hashes = new Set(arrivals.filter((one) => one.owner === owner).map(({ hash, asset }) => `${hash} ${asset}`));
  const unfounded = stored.body.deposits.filter(
    ({ asset, block, creditedAt, by, hash }) =>
      tokens.has(asset) &&
      by === undefined &&
      creditedAt !== null &&
      block >= from &&
      block <= to &&
      !hashes.has(`${hash} ${asset}`),
  );
  const [first] = unfounded;
  if (first === undefined) return;
  const label = { network: network.network, call: owner.callId, address: owner.address };
  const { hash, asset } = first;
  alarms.raise('deposit_not_found', { ...label, asset, hash, count: unfounded.length });
}
