import { decodeFunctionData, erc20Abi, formatUnits, isAddressEqual } from 'viem';

import type { Attempt, Kinds, Origin, OutsideSpendBody, Paid, SendBody, Write } from './documents.js';
import { findSpender, type Spender } from './find-spender.js';
import type { Place } from './place.js';
import type { ChainTransaction } from './rpc.js';
import { dayOf, withoutReserved, withReserved, withSpent } from './spending.js';
import { loadWallet, pausedByLeg } from './wallet-document.js';
import type { WalletView } from './wallet-view.js';

type SendDoc = Kinds['evm_send'];
type SpendDoc = Kinds['evm_outside_spend'];

/** A transaction of the wallet's key, with what it did. */
export interface ReadSpend {
  readonly transaction: ChainTransaction;
  readonly content: Paid | 'nothing' | 'unknown';
  readonly block: number;
  /** A transfer that was reverted ends its send without moving anything. */
  readonly isReverted: boolean;
}

/** Thrown when the chain has transactions of the wallet that the node does not show. Nothing is signed until it does. */
export class UnexplainedNonceError extends Error {
  override readonly name = 'UnexplainedNonceError';
}

/** What a send, a reservation and an order have in common. */
interface Claim {
  readonly asset: string;
  readonly to: string;
  readonly units: string;
  readonly origin?: Origin;
}

/**
 * The transactions of the wallet's key that this database does not know, as after a restore. Each nonce up to the chain's count is
 * explained before the next is taken. A transaction with the receiver, token and amount of a send is adopted as that send's transaction.
 */
export function outsideSpendsOf(place: Place) {
  const { documents, network, address, walletId, alarms } = place;
  const label = { network: network.network, wallet: address };

  const openSpends = async () =>
    (await documents.all('evm_outside_spend', { status: 'open' })).filter(({ id }) => id.startsWith(`${walletId}:`));

  /** Queued sends and held reservations of this wallet, which an unknown transaction may have paid. */
  async function claims(): Promise<readonly Claim[]> {
    const [sends, reservations] = await Promise.all([
      documents.all('evm_send', { status: 'queued' }),
      documents.all('evm_reservation', { status: 'held' }),
    ]);
    const queued = new Set(sends.map(({ id }) => id));
    return [...sends, ...reservations.filter(({ id }) => !queued.has(id))]
      .map(({ body }) => body)
      .filter((body) => `${body.chainId}:${body.wallet.toLowerCase()}` === walletId);
  }

  /** The spends that no claim explains. Each claim explains one. */
  async function unclaimed(spends: readonly SpendDoc[]): Promise<readonly SpendDoc[]> {
    const left = [...(await claims())];
    return spends.filter((spend) => {
      const at = left.findIndex((claim) => isPaidBy(claim, spend.body));
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
  }

  /** Reads the transaction with this nonce, from its block or from the pending ones. Null when the node does not show it. */
  async function read(view: WalletView, nonce: number): Promise<ReadSpend | null> {
    if (nonce >= view.count) {
      const transaction = await place.rpc.pendingTransaction(address, nonce);
      if (transaction === null) return null;
      return { transaction, content: contentOf(place, transaction), block: view.head.number + 1, isReverted: false };
    }
    const found = await findSpender(place, { nonce, from: 0, to: view.head.number });
    if (found === null) return null;
    return readIncluded(found);
  }

  /** Null when the node does not show the receipt. */
  async function readIncluded({ transaction, block }: Spender): Promise<ReadSpend | null> {
    const receipt = await place.rpc.receipt(transaction.hash);
    if (receipt === null) return null;
    const isReverted = receipt.status !== 'success';
    return { transaction, content: contentOf(place, transaction), block: block.number, isReverted };
  }

  /** Explains the next nonce. False when it cannot be explained yet. */
  async function explainNext(view: WalletView): Promise<boolean> {
    const wallet = await loadWallet(place);
    const { nextNonce } = wallet.body;
    if (nextNonce >= view.pending) return true;
    const found = await read(view, nextNonce);
    const spend = found && (await spendOf(place, found, view));
    // A pending transaction of a foreign content may never be included, and would leave a gap.
    const isIncluded = found !== null && found.block <= view.head.number;
    const isClear = spend !== null && (isIncluded || (await unclaimed([...(await openSpends()), spend])).length === 0);
    if (spend === null || !isClear) {
      const reason = `Nonce ${nextNonce} is taken by a transaction that the RPC does not show, or that is not in a block yet.`;
      alarms.hold(true, 'nonce_conflict', { ...label, reason }, { cause: 'unexplained' });
      return false;
    }
    const { paid } = spend.body;
    const day = await dayOf(place, wallet.body);
    const spent =
      paid === null || found?.isReverted === true
        ? wallet.body
        : withSpent(wallet.body, { asset: paid.asset, units: BigInt(paid.units), day });
    const next = { ...wallet, body: { ...spent, nextNonce: nextNonce + 1 } };
    await documents.commit({ kind: 'evm_wallet', next }, { kind: 'evm_outside_spend', next: spend });
    return explainNext(view);
  }

  /** Pauses the wallet for spends that neither a send nor a reservation explains. Each does so once. */
  async function reportUnclaimed(): Promise<void> {
    const open = await openSpends();
    if (open.every(({ body }) => body.isReported)) return;
    const found = (await unclaimed(open)).filter(({ body }) => !body.isReported);
    if (found.length === 0) return;
    const wallet = await loadWallet(place);
    const reason = `${found.map(({ body }) => described(place, body)).join(' ')} No send of this database did so.`;
    const isActive = wallet.status === 'active';
    const isStored = await documents.commit(
      { kind: 'evm_wallet', next: isActive ? pausedByLeg(wallet, place, reason) : wallet },
      ...found.map(({ body, ...spend }) => reported({ ...spend, body })),
    );
    if (isStored) alarms.raise('nonce_conflict', { ...label, reason });
  }

  return {
    /** Explains every nonce that the chain counts and the wallet does not. False while that is impossible: then nothing may be signed. */
    async explain(view: WalletView): Promise<boolean> {
      const { nextNonce } = (await loadWallet(place)).body;
      if (nextNonce < view.pending && !(await explainNext(view))) return false;
      await reportUnclaimed();
      alarms.hold(false, 'nonce_conflict', label, { cause: 'unexplained' });
      return true;
    },

    /**
     * Ends a send's nonce, which another transaction of the wallet's key has spent: pauses the wallet and queues the send again, with its
     * amount reserved. Null when another process changed one of them.
     */
    async replaced(doc: SendDoc, spender: Spender, view: WalletView): Promise<SendDoc | null> {
      const { nonce, attempts, lost, isCancelling, asset, units } = doc.body;
      if (nonce === null) return doc;
      const found = await readIncluded(spender);
      if (found === null) return doc;
      const spend = await spendOf(place, found, view);
      const wallet = await loadWallet(place);
      const reason = `${described(place, spend.body)} It has the nonce of send ${doc.id}, and this database did not sign it.`;
      const reservation = isCancelling ? null : await documents.load('evm_reservation', doc.id);
      const isHeldAgain = reservation?.status === 'used';
      const body = isHeldAgain ? withReserved(wallet.body, asset, BigInt(units)) : wallet.body;
      const paused = wallet.status === 'active' ? pausedByLeg(wallet, place, reason) : wallet;
      const next: SendDoc = {
        ...doc,
        status: isCancelling ? 'refused' : 'queued',
        body: {
          ...doc.body,
          nonce: null,
          attempts: [],
          lost: [...lost, { nonce, by: found.transaction.hash, attempts }],
          failure: isCancelling ? CANCELLED : null,
        },
      };
      const isStored = await documents.commit(
        { kind: 'evm_send', next },
        {
          kind: 'evm_wallet',
          next: { ...paused, body: { ...paused.body, reserved: body.reserved ?? {}, holds: body.holds ?? 0 } },
        },
        reported(spend),
        ...(isHeldAgain ? [{ kind: 'evm_reservation', next: { ...reservation, status: 'held' } } as const] : []),
      );
      if (isStored) alarms.raise('nonce_conflict', { ...label, reason });
      return null;
    },

    /** The oldest unknown transaction that made this payment; null when there is none. */
    async paymentOf(claim: Claim): Promise<SpendDoc | null> {
      return (await openSpends()).find(({ body }) => isPaidBy(claim, body)) ?? null;
    },

    /** Makes the transaction that of the send. Null when another process changed one of them. */
    async adopt(doc: SendDoc, spend: SpendDoc): Promise<SendDoc | null> {
      const wallet = await loadWallet(place);
      const { nonce, attempt, block } = spend.body;
      const body: SendBody = { ...doc.body, nonce, sinceBlock: Math.max(0, block - 1), attempts: [attempt] };
      const next: SendDoc = { ...doc, status: 'sending', dueAt: place.now(), body };
      const reservation = await documents.load('evm_reservation', doc.id);
      const isHeld = reservation?.status === 'held';
      const walletBody = isHeld
        ? withoutReserved(wallet.body, reservation.body.asset, BigInt(reservation.body.units))
        : wallet.body;
      const isStored = await documents.commit(
        { kind: 'evm_send', next },
        { kind: 'evm_wallet', next: { ...wallet, body: walletBody } },
        {
          kind: 'evm_outside_spend',
          next: { ...spend, status: 'adopted', body: { ...spend.body, adoptedBy: doc.id } },
        },
        ...(isHeld ? [{ kind: 'evm_reservation', next: { ...reservation, status: 'used' } } as const] : []),
        ...(await documents.writesOf([{ hash: attempt.hash, callId: doc.id, as: 'send' }])),
      );
      return isStored ? { ...next, version: next.version + 1 } : null;
    },
  };
}

/** The failure of a cancelled send. */
export const CANCELLED = {
  code: 'settlement_error',
  message: 'The transfer was cancelled.',
  retryable: true,
} as const;

/** The unknown transactions of one wallet. */
export type OutsideSpends = ReturnType<typeof outsideSpendsOf>;

/** Whether the spend is the payment of the claim, which must be older than the transaction. */
function isPaidBy({ asset, to, units, origin }: Claim, spend: OutsideSpendBody): boolean {
  const { paid, at, block } = spend;
  if (paid === null || paid.asset !== asset || paid.units !== units) return false;
  if (paid.to.toLowerCase() !== to.toLowerCase()) return false;
  const isKnown = origin !== undefined && (origin.at !== null || origin.block !== null);
  if (!isKnown) return true;
  // Blocks have whole seconds.
  const isOlderByTime = origin.at !== null && Math.floor(origin.at / 1_000) * 1_000 <= at;
  return isOlderByTime || (origin.block !== null && origin.block < block);
}

/** What the wallet's transaction does, if it succeeds. */
export function contentOf({ assets, address }: Place, { to, value, input }: ChainTransaction): ReadSpend['content'] {
  if (to === null) return 'unknown';
  if (input === '0x' || input === undefined) {
    if (value === 0n) return isAddressEqual(to, address) ? 'nothing' : 'unknown';
    const native = assets.find(({ token }) => token === null);
    return native === undefined ? 'unknown' : { asset: native.asset, to, units: String(value) };
  }
  const asset = assets.find(({ token }) => token !== null && isAddressEqual(token, to));
  if (asset === undefined || value > 0n) return 'unknown';
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: input });
    return functionName === 'transfer' ? { asset: asset.asset, to: args[0], units: String(args[1]) } : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** A transaction of the chain as an attempt of a send. Without its signed bytes, it can be followed, but not broadcast again. */
export async function attemptOf(
  { rpc, now }: Place,
  { transaction, kind, block }: { transaction: ChainTransaction; kind: Attempt['kind']; block: number },
): Promise<Attempt> {
  const { hash, gas, gasPrice = 0n, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  return {
    kind,
    hash,
    raw: (await rpc.rawTransaction(hash)) ?? '0x',
    gas: String(gas),
    maxFee: String(maxFeePerGas ?? gasPrice),
    tip: String(maxPriorityFeePerGas ?? gasPrice),
    at: now(),
    block,
  };
}

/** The document of an unknown transaction. */
export async function spendOf(
  place: Place,
  { transaction, content, block, isReverted }: ReadSpend,
  view: WalletView,
): Promise<SpendDoc> {
  const header = block <= view.head.number ? await place.rpc.blockAt(block) : null;
  const paid = content === 'nothing' || content === 'unknown' ? null : content;
  const kind = content === 'nothing' ? 'cancellation' : 'transfer';
  const attempt = await attemptOf(place, { transaction, kind, block: view.head.number });
  const id = `${place.walletId}:${String(transaction.nonce).padStart(NONCE_DIGITS, '0')}`;
  const facts = { network: place.network.network, nonce: Number(transaction.nonce), paid, attempt, block };
  const body = { ...facts, at: header?.at ?? place.now(), adoptedBy: null, isReported: isReverted };
  const stored = await place.documents.load('evm_outside_spend', id);
  return { id, version: stored?.version ?? 0, status: 'open', dueAt: null, body };
}

/** Sorts the ids of one wallet by nonce. */
const NONCE_DIGITS = 12;

const reported = (spend: SpendDoc): Write => ({
  kind: 'evm_outside_spend',
  next: { ...spend, body: { ...spend.body, isReported: true } },
});

/** What the spend did, for operators. */
export function described({ assets }: Place, { attempt, nonce, paid }: OutsideSpendBody): string {
  const start = `Transaction ${attempt.hash} (nonce ${nonce})`;
  if (attempt.kind === 'cancellation') return `${start} cancelled a send.`;
  if (paid === null) return `${start} is not a transfer of a served token.`;
  const decimals = assets.find(({ asset }) => asset === paid.asset)?.decimals ?? 0;
  return `${start} paid ${formatUnits(BigInt(paid.units), decimals)} ${paid.asset} to ${paid.to}.`;
}
