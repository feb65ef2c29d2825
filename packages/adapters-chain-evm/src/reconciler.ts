import type { AddressBook, Owner } from './address-book.js';
import type { CursorBody, Kinds } from './documents.js';
import type { Place } from './place.js';
import { requiredOf } from './required.js';
import type { Rpc } from './rpc.js';
import { type Arrival, isSame, tokenArrivals } from './transfers.js';

/** The maximum number of final blocks in one round. */
const RANGE_MAX = 500;
/** How long the balance of a deposit address is compared after its creation. */
const COMPARED_FOR_MS = 7 * 24 * 3_600_000;

/** A cursor that has not moved for so long does not catch up: the watcher's RPC may show it no new blocks. */
const STALLED_MS = 5 * 60_000;

/**
 * Compares the credited deposits with the final blocks of a second RPC, up to where the watcher should have credited them. It credits
 * nothing: a missing deposit raises an alarm, and the watcher reads its block again.
 */
export async function reconcile(place: Place, rpc: Rpc, book: AddressBook): Promise<void> {
  const { documents, network, now } = place;
  const cursor = await documents.load('evm_cursor', network.network);
  if (cursor === null) return;
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
  const to = Math.min(finalized, reached, from + RANGE_MAX - 1);
  const compared = {
    kind: 'evm_reconciled',
    next: { ...stored, body: { block: Math.max(to, from - 1), watcher } },
  } as const;
  if (to < from) {
    if (watcher !== stored.body.watcher) await documents.commit(compared);
    return;
  }

  const arrivals = await tokenArrivals(place, rpc, { book, blocks: { from, to } });
  const missed: Arrival[] = [];
  for (const arrival of arrivals) {
    if (arrival.asset === null || arrival.owner.network !== network.network) continue;
    if (await isCredited(place, arrival)) continue;
    missed.push(arrival);
    place.alarms.raise('deposit_missed', {
      network: network.network,
      call: arrival.owner.callId,
      address: arrival.owner.address,
      hash: arrival.hash,
      asset: arrival.asset,
    });
  }
  for (const owner of book.owners())
    if (owner.network === network.network && now() - owner.createdAt < COMPARED_FOR_MS)
      await compareOwner(place, rpc, { owner, arrivals, from, to });

  const isCommitted = await documents.commit(compared);
  const first = missed.toSorted((a, b) => a.block - b.block)[0];
  if (isCommitted && first !== undefined) await readAgain(place, rpc, first.block);
}

/** The last block whose deposits the watcher has credited, if it saw them. */
function creditedUpTo(place: Place, { number, finalized }: CursorBody): number {
  return place.network.finality === 'tag' ? Math.min(number, finalized) : number - requiredOf(place) + 1;
}

async function isCredited({ documents }: Place, arrival: Arrival): Promise<boolean> {
  const stored = await documents.load('evm_deposit', arrival.owner.callId);
  return stored?.body.deposits.some((known) => isSame(known, arrival) && known.creditedAt !== null) ?? false;
}

/** Raises alarms for credits without a transfer and for a balance above the credits, such as native coins that a contract passed on. */
async function compareOwner(
  place: Place,
  rpc: Rpc,
  { owner, arrivals, from, to }: { owner: Owner; arrivals: readonly Arrival[]; from: number; to: number },
): Promise<void> {
  const { documents, network, alarms, assets } = place;
  const stored = await documents.load('evm_deposit', owner.callId);
  if (stored === null) return;
  for (const { asset, token } of assets) {
    const credits = stored.body.deposits.filter((deposit) => deposit.asset === asset && deposit.creditedAt !== null);
    const label = { network: network.network, call: owner.callId, address: owner.address, asset };
    if (token !== null)
      for (const credit of credits)
        if (credit.block >= from && credit.block <= to && !arrivals.some((arrival) => isSame(arrival, credit)))
          alarms.raise('deposit_not_found', { ...label, hash: credit.hash });
    const balance = await rpc.balance(owner.address, token, to);
    const total = credits.filter(({ block }) => block <= to).reduce((sum, { units }) => sum + BigInt(units), 0n);
    alarms.hold(balance > total, 'deposit_missed', { ...label, balance: String(balance), credited: String(total) });
  }
}

/** Moves the watcher's cursor back, so that it reads the block again. */
async function readAgain({ documents, network, now }: Place, rpc: Rpc, block: number): Promise<void> {
  const before = await rpc.blockAt(block - 1);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const cursor = await documents.load('evm_cursor', network.network);
    if (cursor === null || before === null || cursor.body.number < block) return;
    const { number, hash } = before;
    const headers = [...cursor.body.headers.filter((header) => header.number < number), { number, hash }];
    const body = { ...cursor.body, number, hash, headers };
    if (await documents.commit({ kind: 'evm_cursor', next: { ...cursor, dueAt: now(), body } })) return;
  }
}

/** Tries to move the cursor, which the watcher also writes. After the last one, only the alarm remains. */
const TRIES_MAX = 5;
