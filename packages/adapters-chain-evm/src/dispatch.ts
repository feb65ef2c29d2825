import type { Asset } from './assets.js';
import type { Attempt, Failure, Kinds, WalletBody } from './documents.js';
import { type Fee, feeFor } from './fees.js';
import { CAUSE_MS, gasOf, holdFeeAlarms, receiverRefusal, worthOf } from './gas.js';
import { CANCELLED, type OutsideSpends } from './outside-spends.js';
import type { Place } from './place.js';
import { releasing } from './reservations.js';
import { RpcOutageError } from './rpc.js';
import { signAttempt, transferAction } from './sign.js';
import {
  dayLeft,
  dayOf,
  freeUnits,
  heldUnits,
  limitReached,
  limitUnits,
  spentOn,
  type Taking,
  withoutReserved,
  withSpent,
  withTaken,
} from './spending.js';
import { isOld, type WalletView, type WalletViews } from './wallet-view.js';
import { loadWallet } from './wallet-document.js';

type SendDoc = Kinds['evm_send'];

/** Whether a queued send can take a nonce now, has to wait, or is refused. */
type Readiness =
  | { readonly kind: 'ready'; readonly gas: bigint; readonly fee: Fee; readonly view: WalletView }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly failure: Failure };

/**
 * Gives queued sends their nonces: one commit takes the nonce from the wallet and stores it with the signed bytes on the
 * send. Only committed bytes are broadcast, so a crash or a second process at any point leaves at most one transaction
 * for the send. A send uses its reservation, or else what is not reserved for others.
 */
export function dispatcherOf(place: Place, views: WalletViews, spends: OutsideSpends) {
  const { documents, network, now } = place;
  let turn: Promise<unknown> = Promise.resolve();

  /** Serialises the nonces of this process. Conflicts with other processes show at the commit. */
  function exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  }

  /** The reservation of the send; null when it has none, or when it has been used. */
  async function reservationOf({ id }: SendDoc) {
    const reservation = await documents.load('evm_reservation', id);
    return reservation?.status === 'held' ? reservation : null;
  }

  /** Whether the wallet has the units and the gas, apart from what is reserved for others. Holds the alarm while it has not. */
  function isFunded(doc: SendDoc, taking: Taking, state: Pick<Committing, 'wallet' | 'view' | 'reservation'>): boolean {
    const { asset, units, gas } = taking;
    const free = state.reservation === null ? freeUnits : heldUnits;
    const body = state.wallet.body;
    const needed = asset.token === null ? units + gas : units;
    const native = network.native;
    const isEnough =
      free(state.view, body, asset.asset) >= needed &&
      (asset.token === null || heldUnits(state.view, body, native) >= gas);
    const fields = { network: network.network, wallet: place.address, asset: asset.asset };
    place.alarms.hold(!isEnough, 'wallet_unfunded', fields, { cause: doc.id, forMs: CAUSE_MS });
    return isEnough;
  }

  async function readinessOf(doc: SendDoc, asset: Asset): Promise<Readiness> {
    const { body } = doc;
    const view = await views.current();
    const wallet = await loadWallet(place);
    const isClosed = view.problem !== null || isOld(place, view) || wallet.status === 'paused';
    if (isClosed || view.assetProblems.has(asset.asset) || wallet.body.stopped?.[asset.asset] !== undefined)
      return { kind: 'waiting' };
    const units = BigInt(body.units);
    const reservation = await reservationOf(doc);
    // Without the units, the estimate would revert.
    if (!isFunded(doc, { asset, units, gas: 0n }, { wallet, view, reservation })) return { kind: 'waiting' };
    const gas = await gasOf(place, asset, { to: body.to, units });
    if (gas === null) {
      const failure = await receiverRefusal(place, asset, { units, call: doc.id });
      return failure === null ? { kind: 'waiting' } : { kind: 'refused', failure };
    }
    const found = feeFor(network, view.market, { gas, worth: await worthOf(place, asset, units) });
    holdFeeAlarms(place, doc.id, found.kind);
    return found.kind === 'fee' ? { kind: 'ready', gas, fee: found.fee, view } : { kind: 'waiting' };
  }

  /** Adopts a transaction of the chain that already made this payment. Null when there is none. */
  async function adopted(doc: SendDoc): Promise<SendDoc | null> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const spend = await spends.paymentOf({ ...doc.body, origin: doc.body.origin ?? UNKNOWN_ORIGIN });
      if (spend === null) return null;
      const stored = await spends.adopt(doc, spend);
      if (stored !== null) return stored;
      const changed = await documents.load('evm_send', doc.id);
      if (changed !== null && changed.version !== doc.version) return changed;
    }
    return wait(doc);
  }

  /** Explains the nonces of the chain, and adopts a payment. Null when the send needs a nonce of its own. */
  async function settledBefore(doc: SendDoc, view: WalletView): Promise<SendDoc | null> {
    if (view.chainProblem !== null) return wait(doc);
    if (!(await spends.explain(view))) return wait(doc);
    const found = await adopted(doc);
    if (found !== null) return found;
    return doc.body.isCancelling ? refuse(doc, CANCELLED) : null;
  }

  async function takeNonce(
    doc: SendDoc,
    asset: Asset,
    { gas, fee, view }: Readiness & { kind: 'ready' },
  ): Promise<SendDoc> {
    const units = BigInt(doc.body.units);
    const taking = { asset, units, gas: gas * fee.maxFee };
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      // The wallet is loaded first: a change of it makes the commit stale.
      const wallet = await loadWallet(place);
      const settled = await settledBefore(doc, view);
      if (settled !== null) return settled;
      const { nextNonce } = wallet.body;
      const isFull = nextNonce - view.count >= (network.inFlightMax ?? IN_FLIGHT_MAX);
      if (wallet.status === 'paused' || view.pending > nextNonce || isFull) return wait(doc);
      const reservation = await reservationOf(doc);
      if (!isFunded(doc, taking, { wallet, view, reservation })) return wait(doc);
      const spending = await spend(doc, taking, { wallet, reservation });
      if (spending === 'over the limit') return refuse(doc, limitReached(place, asset));
      if (spending === 'waiting') return wait(doc);
      const action = transferAction(asset.token, doc.body.to, units);
      const block = view.head.number;
      const attempt = await signAttempt(place, { action, nonce: nextNonce, gas, fee, kind: 'transfer', block });
      const next = sending(doc, { nonce: nextNonce, attempt, sinceBlock: block }, now() + network.pollMs);
      const isCommitted = await documents.commit(
        { kind: 'evm_send', next },
        { kind: 'evm_wallet', next: { ...wallet, body: { ...spending, nextNonce: nextNonce + 1 } } },
        ...(reservation === null
          ? []
          : [{ kind: 'evm_reservation', next: { ...reservation, status: 'used' } } as const]),
        ...(await documents.writesOf([{ hash: attempt.hash, callId: doc.id, as: 'send' }])),
      );
      if (isCommitted) return { ...next, version: next.version + 1 };
      // Either another send took the nonce, or another process has changed this send.
      const stored = await documents.load('evm_send', doc.id);
      if (stored !== null && stored.version !== doc.version) return stored;
    }
    return wait(doc);
  }

  /**
   * The wallet's body after the send. Without a reservation, as for a deposit that goes back, it waits for the next day or for others when
   * the rest of the daily limit is too small.
   */
  async function spend(
    doc: SendDoc,
    taking: Taking,
    { wallet: { body }, reservation }: Pick<Committing, 'wallet' | 'reservation'>,
  ): Promise<WalletBody | 'waiting' | 'over the limit'> {
    const { asset, units } = taking;
    const day = await dayOf(place, body);
    const taken = withTaken(body, taking, network.native);
    const counted = withSpent(taken, { asset: asset.asset, units, day });
    if (reservation !== null) return withoutReserved(counted, asset.asset, units);
    // A send that lost its nonce to another signer counts once.
    if (doc.body.lost.length > 0) return taken;
    const limit = limitUnits(place.wallet.maxPerDay, asset);
    if (limit !== null && units > limit) return 'over the limit';
    if (limit !== null && spentOn(day, body, asset.asset) + units > limit) limitReached(place, asset);
    const left = dayLeft(place, body, { asset, day });
    return left !== null && left < units ? 'waiting' : counted;
  }

  /** Stores the send as queued, to be tried again after the poll interval. */
  async function wait(doc: SendDoc): Promise<SendDoc> {
    const next: SendDoc = { ...doc, status: 'queued', dueAt: now() + network.pollMs };
    return write(next);
  }

  /** Refuses the send, and gives back its reservation. */
  async function refuse(doc: SendDoc, failure: Failure): Promise<SendDoc> {
    const next: SendDoc = { ...doc, status: 'refused', dueAt: null, body: { ...doc.body, failure } };
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      if (await documents.commit({ kind: 'evm_send', next }, ...(await releasing(place, doc.id))))
        return { ...next, version: next.version + 1 };
      const stored = await documents.load('evm_send', doc.id);
      if (stored !== null && stored.version !== doc.version) return stored;
    }
    throw new Error(`Send ${doc.id} could not be stored.`);
  }

  async function write(next: SendDoc): Promise<SendDoc> {
    if (await documents.commit({ kind: 'evm_send', next })) return { ...next, version: next.version + 1 };
    const stored = await documents.load('evm_send', next.id);
    if (stored === null) throw new Error(`Send ${next.id} could not be stored.`);
    return stored;
  }

  async function prepared(doc: SendDoc, asset: Asset): Promise<SendDoc> {
    const settled = await exclusive(async () => settledBefore(doc, await views.current()));
    if (settled !== null) return settled;
    const ready = await readinessOf(doc, asset);
    if (ready.kind === 'waiting') return wait(doc);
    if (ready.kind === 'refused') return refuse(doc, ready.failure);
    return exclusive(() => takeNonce(doc, asset, ready));
  }

  return {
    /** Signs and broadcasts the send if that is possible now. Returns the stored send. */
    async dispatch(doc: SendDoc, asset: Asset): Promise<SendDoc> {
      let stored: SendDoc;
      try {
        stored = await prepared(doc, asset);
      } catch (error) {
        if (!(error instanceof RpcOutageError)) throw error;
        return wait(doc);
      }
      const attempt = stored.status === 'sending' ? stored.body.attempts.at(-1) : undefined;
      if (attempt !== undefined) await place.rpc.broadcast(attempt.raw);
      return stored;
    },
    refuse,
  };
}

/** What one commit of a nonce is based on. */
interface Committing {
  readonly wallet: Kinds['evm_wallet'];
  readonly view: WalletView;
  readonly reservation: Kinds['evm_reservation'] | null;
}

const TRIES_MAX = 8;
const IN_FLIGHT_MAX = 64;
const UNKNOWN_ORIGIN = { at: null, block: null };

function sending(
  doc: SendDoc,
  { nonce, attempt, sinceBlock }: { nonce: number; attempt: Attempt; sinceBlock: number },
  dueAt: number,
): SendDoc {
  return { ...doc, status: 'sending', dueAt, body: { ...doc.body, nonce, sinceBlock, attempts: [attempt] } };
}
