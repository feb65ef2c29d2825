import type { AddressBook } from './address-book.js';
import { requiredOf } from './required.js';
import type { CursorBody, DepositBody, Kinds, StoredDeposit, Write } from './documents.js';
import type { Place } from './place.js';
import type { FullBlock, Header } from './rpc.js';
import { inFull } from './received.js';
import { type Arrival, nativeArrivals, paired, tokenArrivals } from './transfers.js';
import { unclaimed } from './unclaimed.js';

type Cursor = Kinds['evm_cursor'];

/** The maximum number of blocks in one round. */
const BLOCKS_MAX = 50;
/** The cursor keeps each of the newest `DENSE_HEADERS` blocks and every `SPARSE_STEP`th older one, at most `HEADERS_MAX`. */
const DENSE_HEADERS = 64;
const SPARSE_STEP = 16;
const HEADERS_MAX = 128;

/** Starts to read the network at its newest block, unless it has a cursor already. */
export async function ensureCursor({ documents, network, rpc, now }: Place): Promise<void> {
  if ((await documents.load('evm_cursor', network.network)) !== null) return;
  const head = await rpc.head();
  const body: CursorBody = {
    number: head.number,
    hash: head.hash,
    finalized: 0,
    headers: [{ number: head.number, hash: head.hash }],
    unsettled: [],
  };
  const next: Cursor = { id: network.network, version: 0, status: 'active', dueAt: now(), body };
  // If another process was faster, its cursor serves as well.
  await documents.commit({ kind: 'evm_cursor', next });
}

/**
 * Runs one round: goes back to the common ancestor if blocks were replaced, reads the next blocks by hash, and credits deposits
 * that are deep enough. False when nothing was written. The cursor and the deposits are written in one commit, so a crash repeats a
 * round and never skips one.
 */
export async function watchRound(place: Place, book: AddressBook, cursor: Cursor): Promise<boolean> {
  const { rpc, documents, network, now } = place;
  const head = await rpc.head();
  await book.refresh();
  const found = await rpc.blockAt(cursor.body.number);
  // A lagging node does not have the cursor's block yet.
  if (found === null || head.number < cursor.body.number) return false;
  if (found.hash !== cursor.body.hash) return goBack(place, cursor);

  const finalized = Math.max(cursor.body.finalized, await rpc.finalized(head, network.finalityDepth));
  const { blocks, arrivals } = await readBlocks(place, { book, cursor: cursor.body, head });
  const changed = await withArrivals(place, arrivals, blocks);
  const newest = blocks.at(-1) ?? cursor.body;
  const callIds = [...new Set([...cursor.body.unsettled, ...changed.keys()])];
  const unsettled: string[] = [];
  const writes: Write[] = [];
  for (const callId of callIds) {
    const stored = await documents.load('evm_deposit', callId);
    if (stored === null) continue;
    const body = await credited(place, changed.get(callId)?.body ?? stored.body, { head: newest.number, finalized });
    if (body !== stored.body) writes.push({ kind: 'evm_deposit', next: { ...(changed.get(callId) ?? stored), body } });
    const isOpen = ({ creditedAt, by }: StoredDeposit) => creditedAt === null && by !== 'own';
    if (body.deposits.some((one) => isOpen(one) || one.block > finalized)) unsettled.push(callId);
  }
  const headers = thinned([...cursor.body.headers, ...blocks.map(({ number, hash }) => ({ number, hash }))]);
  const body: CursorBody = { number: newest.number, hash: newest.hash, finalized, headers, unsettled };
  const isBehind = newest.number < head.number && blocks.length > 0;
  const next: Cursor = { ...cursor, dueAt: now() + (isBehind ? 0 : network.pollMs), body };
  const hashes = arrivals
    .filter(({ isOwn }) => !isOwn)
    .map(({ hash, owner }) => ({ hash, callId: owner.callId, as: 'deposit' as const }));
  place.grouped.flush();
  return documents.commit({ kind: 'evm_cursor', next }, ...writes, ...(await documents.writesOf(hashes)));
}

/** Reads the next blocks and their transfers. Stops early at a block that does not follow the previous one. */
async function readBlocks(
  place: Place,
  { book, cursor, head }: { book: AddressBook; cursor: CursorBody; head: Header },
): Promise<{ blocks: readonly Header[]; arrivals: readonly Arrival[] }> {
  const { rpc, network } = place;
  if (book.owners().length === 0) return { blocks: head.number > cursor.number ? [head] : [], arrivals: [] };
  const blocks: FullBlock[] = [];
  const arrivals: Arrival[] = [];
  const last = Math.min(head.number, cursor.number + BLOCKS_MAX);
  for (let number = cursor.number + 1, parent = cursor.hash; number <= last; number += 1) {
    const block = await rpc.fullBlockAt(number);
    if (block === null || block.parentHash !== parent) break;
    const tokens = await tokenArrivals(place, rpc, { book, blocks: { hash: block.hash } });
    const here = [...(await inFull(place, block, tokens.arrivals)), ...(await nativeArrivals(place, book, block))];
    for (const arrival of here)
      if (arrival.owner.network === network.network) arrivals.push(arrival);
      else if (!arrival.isOwn) {
        const { owner, asset, hash, units } = arrival;
        const label = { network: network.network, address: owner.address, asset, units: String(units), hash };
        place.grouped.add('unattributed_deposit', label);
      }
    blocks.push(block);
    parent = block.hash;
  }
  return { blocks, arrivals };
}

/** The documents of the calls that received transfers, with the new deposits. */
async function withArrivals(
  { documents }: Place,
  arrivals: readonly Arrival[],
  blocks: readonly Header[],
): Promise<Map<string, Kinds['evm_deposit']>> {
  const byCall = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const { callId } = arrival.owner;
    const before = byCall.get(callId);
    if (before === undefined) byCall.set(callId, [arrival]);
    else before.push(arrival);
  }
  const headers = new Map(blocks.map((header) => [header.number, header]));
  const changed = new Map<string, Kinds['evm_deposit']>();
  for (const [callId, here] of byCall) {
    const stored = await documents.load('evm_deposit', callId);
    if (stored !== null) changed.set(callId, { ...stored, body: received(stored.body, here, headers) });
  }
  return changed;
}

/** The deposits of one address with these arrivals, each once. */
function received(body: DepositBody, arrivals: readonly Arrival[], headers: ReadonlyMap<number, Header>): DepositBody {
  const deposits = new Map(body.deposits.map((one) => [keyOf(one), one]));
  const reorged = new Map(body.reorged.map((one) => [keyOf(one), one]));
  for (const { arrival, known } of paired(arrivals, [...body.deposits, ...body.reorged])) {
    const { hash, asset, block } = arrival;
    const header = headers.get(block);
    if (header === undefined) continue;
    let { index } = known ?? arrival;
    while (known === null && (deposits.has(keyOf({ hash, index })) || reorged.has(keyOf({ hash, index })))) index += 1;
    const units = unitsOf(arrival, known);
    const place = { block, blockHash: header.hash, at: header.at };
    const key = keyOf({ hash, index });
    deposits.delete(key);
    reorged.delete(key);
    // What is known keeps its origin, also when the list of own addresses has changed.
    const isOwn = known === null ? arrival.isOwn : known.by === 'own';
    const origin = { creditedAt: known?.creditedAt ?? null, ...(isOwn ? { by: 'own' as const } : {}) };
    deposits.set(key, { hash, index, asset, units: String(units), ...place, ...origin });
  }
  return { ...body, deposits: [...deposits.values()], reorged: [...reorged.values()] };
}

/** What counts of a transfer. What was credited is not raised: the node may have lost the balances that lowered it. */
function unitsOf({ units }: Arrival, known: StoredDeposit | null): bigint {
  const credited = known === null || known.creditedAt === null ? units : BigInt(known.units);
  return credited < units ? credited : units;
}

const keyOf = ({ hash, index }: Pick<StoredDeposit, 'hash' | 'index'>) => [hash, index].join(' ');

/** Credits deposits that are deep enough, after a last check of their block. Returns the same body when nothing changed. */
async function credited(
  place: Place,
  body: DepositBody,
  { head, finalized }: { head: number; finalized: number },
): Promise<DepositBody> {
  const isDeep = ({ block }: StoredDeposit) =>
    place.network.finality === 'tag' ? block <= finalized : head - block + 1 >= requiredOf(place);
  let isChanged = false;
  const deposits: StoredDeposit[] = [];
  for (const deposit of body.deposits) {
    // Deposits that were found by a balance are credited where balances are compared, and own ones never.
    const isDue = deposit.creditedAt === null && deposit.by === undefined && isDeep(deposit);
    const isThere = isDue && (await place.rpc.blockAt(deposit.block))?.hash === deposit.blockHash;
    isChanged ||= isThere;
    if (isThere) unclaimed(place, body, deposit);
    deposits.push(isThere ? { ...deposit, creditedAt: place.now() } : deposit);
  }
  return isChanged ? { ...body, deposits } : body;
}

/** Moves the cursor back to the newest block that was not replaced, and removes the deposits above it. */
async function goBack(place: Place, cursor: Cursor): Promise<boolean> {
  const { rpc, documents, network, alarms, now } = place;
  const { headers, finalized, unsettled } = cursor.body;
  let ancestor: { readonly number: number; readonly hash: `0x${string}` } | null = null;
  for (const header of headers.toReversed()) {
    if ((await rpc.blockAt(header.number))?.hash !== header.hash) continue;
    ancestor = header;
    break;
  }
  // All known blocks were replaced: continue at the block below the oldest one.
  ancestor ??= await rpc.blockAt(Math.max(0, (headers[0]?.number ?? 1) - 1));
  if (ancestor === null) return false;
  const { number, hash } = ancestor;
  const isDeep = number < finalized;
  if (isDeep) alarms.raise('deep_reorg', { network: network.network, ancestor: number, finalized });

  const candidates = isDeep
    ? (await documents.all('evm_deposit')).filter(({ body }) => body.network === network.network)
    : (await Promise.all(unsettled.map((callId) => documents.load('evm_deposit', callId)))).filter(
        (doc) => doc !== null,
      );
  const writes: Write[] = [];
  for (const stored of candidates) {
    const gone = stored.body.deposits.filter(({ block }) => block > number);
    if (gone.length === 0) continue;
    const lost = gone.filter(({ creditedAt }) => creditedAt !== null);
    const [first] = lost;
    if (first !== undefined) {
      const label = { hash: first.hash, asset: first.asset, count: lost.length };
      alarms.raise('deposit_reorged', { network: network.network, call: stored.id, ...label });
    }
    const body = {
      ...stored.body,
      deposits: stored.body.deposits.filter(({ block }) => block <= number),
      reorged: [...stored.body.reorged, ...lost],
    };
    writes.push({ kind: 'evm_deposit', next: { ...stored, body } });
  }
  const body: CursorBody = {
    number,
    hash,
    finalized: Math.min(finalized, number),
    headers: [...headers.filter((header) => header.number < number), { number, hash }],
    unsettled,
  };
  return documents.commit({ kind: 'evm_cursor', next: { ...cursor, dueAt: now(), body } }, ...writes);
}

function thinned(headers: CursorBody['headers']): CursorBody['headers'] {
  const newest = headers.at(-1)?.number ?? 0;
  return headers
    .filter(({ number }) => number > newest - DENSE_HEADERS || number % SPARSE_STEP === 0)
    .slice(-HEADERS_MAX);
}
