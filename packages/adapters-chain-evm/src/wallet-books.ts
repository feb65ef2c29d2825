import { ACCOUNTS, type LedgerEntry } from '@gateramp/provider-legs';
import type { TransactionReceipt } from 'viem';

import { entryOf, textOf, unitsIn } from './booking.js';
import type { BooksBody, Kinds, Units, Write } from './documents.js';
import { findSpender } from './find-spender.js';
import type { Place } from './place.js';
import { RpcOutageError } from './rpc.js';

/** Ledger entries and documents, to be committed with the send that they belong to. */
interface Booking {
  readonly entries: readonly LedgerEntry[];
  readonly writes: readonly Write[];
}

/**
 * The booking of a send whose transaction is final: its gas, and the record of what it took from the wallet. Empty for a transaction before
 * the books were opened, whose effect is part of the opening balance.
 */
export async function bookingOf(place: Place, { id, status, body }: Kinds['evm_send']): Promise<Booking> {
  const { included, nonce, units, asset } = body;
  if (included === null || nonce === null) return NOTHING;
  const receipt = await place.rpc.receipt(included.hash);
  if (receipt === null) throw new RpcOutageError('The RPC has no receipt for a final transaction.');
  const books = (await openedBooks(place)).body;
  if (nonce < books.openedNonce) return NOTHING;
  const { native } = place.network;
  const gas = feeOf(receipt);
  const spent = new Map([[native, gas]]);
  if (status === 'confirmed' || BigInt(body.arrived ?? '0') > 0n)
    spent.set(asset, (spent.get(asset) ?? 0n) + BigInt(units));
  const settled: Kinds['evm_settled'] = {
    id: settledId(place, nonce),
    version: 0,
    status: 'final',
    dueAt: null,
    body: { hash: included.hash, block: included.block, spent: textOf(spent) },
  };
  const operationId = id.slice(0, Math.max(id.lastIndexOf('-'), 0));
  const entry = entryOf(
    place,
    { id: `gas:${included.hash}`, operationId, against: ACCOUNTS.costs },
    new Map([[native, -gas]]),
  );
  // A transaction that was unknown when the wallet was booked counts as a withdrawal until its send is found.
  const isBooked = nonce < books.nonce;
  const found = { id: `found:${included.hash}`, operationId: `wallet:${place.walletId}`, against: ACCOUNTS.funding };
  const correction = isBooked ? entryOf(place, found, spent) : [];
  return { entries: [...entry, ...correction], writes: [{ kind: 'evm_settled', next: settled }] };
}

/**
 * Books what moved the wallet's balances besides its own sends: top-ups, withdrawals, and transactions of other signers. Balances are
 * compared at final blocks, so each amount is booked once. Waits while a send of this wallet is included but not final here.
 */
export async function bookWallet(place: Place): Promise<void> {
  const { documents, assets } = place;
  const books = await openedBooks(place);
  const { block, count, balances } = await finalState(place);
  const { nonce: first, block: before } = books.body;
  if (block <= before) return;
  const settled = await documents.between('evm_settled', settledId(place, first - 1), settledId(place, count));
  const nonces = new Set(settled.map(({ id }) => id));
  for (let nonce = first; nonce < count; nonce += 1) {
    if (nonces.has(settledId(place, nonce))) continue;
    if (!(await isOutside(place, { nonce, from: before + 1, to: block }))) return;
  }
  const flows = new Map(
    assets.map(({ asset }) => {
      const spent = settled.reduce((sum, { body }) => sum + unitsIn(body.spent, asset), 0n);
      return [asset, unitsIn(balances, asset) - (unitsIn(books.body.balances, asset) - spent)];
    }),
  );
  const body: BooksBody = { ...books.body, block, nonce: count, balances };
  await documents.book(fundingEntry(place, block, flows), { kind: 'evm_books', next: { ...books, body } });
}

/** What a transaction cost. Rollups add the cost of its data on the base chain, which viem leaves as it came. */
function feeOf(receipt: TransactionReceipt & { readonly l1Fee?: unknown }): bigint {
  const { l1Fee, gasUsed, effectiveGasPrice } = receipt;
  const dataFee = typeof l1Fee === 'string' || typeof l1Fee === 'bigint' ? BigInt(l1Fee) : 0n;
  return gasUsed * effectiveGasPrice + dataFee;
}

type Books = Kinds['evm_books'];
const NOTHING: Booking = { entries: [], writes: [] };

/** The books of the wallet. The first call opens them at a final block, with the balances that the ledger does not explain. */
async function openedBooks(place: Place): Promise<Books> {
  const { documents, walletId, network, assets } = place;
  for (;;) {
    const known = await documents.load('evm_books', walletId);
    if (known !== null) return known;
    const { block, count, balances } = await finalState(place);
    const sent = await sentBefore(place, count);
    const opening = new Map(assets.map(({ asset }) => [asset, unitsIn(balances, asset) + (sent.get(asset) ?? 0n)]));
    const body: BooksBody = { network: network.network, openedNonce: count, nonce: count, block, balances };
    const next: Books = { id: walletId, version: 0, status: 'active', dueAt: null, body };
    await documents.book(fundingEntry(place, block, opening), { kind: 'evm_books', next });
  }
}

/** Units of the transfers with nonces below `count`, which the ledger books as deliveries and returns. */
async function sentBefore(place: Place, count: number): Promise<ReadonlyMap<string, bigint>> {
  const sent = new Map<string, bigint>();
  for (const { status, body } of await place.documents.all('evm_send')) {
    if (!isOf(place, body) || body.nonce === null || body.nonce >= count) continue;
    const isDone = status === 'confirmed' || (status === 'sending' && (await isDelivered(place, body)));
    if (isDone) sent.set(body.asset, (sent.get(body.asset) ?? 0n) + BigInt(body.units));
  }
  return sent;
}

async function isDelivered({ rpc }: Place, { attempts }: Kinds['evm_send']['body']): Promise<boolean> {
  for (const { hash, kind } of attempts)
    if (kind === 'transfer' && (await rpc.receipt(hash))?.status === 'success') return true;
  return false;
}

export const isOf = ({ walletId }: Place, { chainId, wallet }: Kinds['evm_send']['body']) =>
  `${chainId}:${wallet.toLowerCase()}` === walletId;

/** Whether a spent nonce belongs to no send of this wallet's service. False while that is not known. */
async function isOutside(place: Place, spent: { nonce: number; from: number; to: number }): Promise<boolean> {
  const found = await findSpender(place, spent);
  return found !== null && !(await place.documents.hasTransfer(found.transaction.hash));
}

interface FinalState {
  readonly block: number;
  /** The first nonce that is not spent at the block. */
  readonly count: number;
  readonly balances: Units;
}

/** The wallet at the newest final block, or at the depth of confirmed sends if the node has no older states. */
async function finalState(place: Place): Promise<FinalState> {
  const { rpc, network } = place;
  const head = await rpc.head();
  try {
    return await stateAt(place, await rpc.finalized(head, network.finalityDepth));
  } catch (error) {
    if (error instanceof RpcOutageError) throw error;
    return stateAt(place, Math.max(0, head.number - network.confirmations + 1));
  }
}

async function stateAt({ rpc, address, assets }: Place, block: number): Promise<FinalState> {
  const [count, ...found] = await Promise.all([
    rpc.transactionCount(address, block),
    ...assets.map(({ token }) => rpc.balance(address, token, block)),
  ]);
  const balances = new Map(assets.map(({ asset }, at) => [asset, found[at] ?? 0n]));
  return { block, count, balances: textOf(balances) };
}

function fundingEntry(place: Place, block: number, flows: ReadonlyMap<string, bigint>): readonly LedgerEntry[] {
  const id = `wallet:${place.walletId}:${block}`;
  return entryOf(place, { id, operationId: `wallet:${place.walletId}`, against: ACCOUNTS.funding }, flows);
}

const NONCE_DIGITS = 12;

/** Ids are in the order of nonces. The one below the first is before all of them. */
export function settledId({ walletId }: Place, nonce: number): string {
  return nonce < 0 ? `${walletId}:` : `${walletId}:${String(nonce).padStart(NONCE_DIGITS, '0')}`;
}
