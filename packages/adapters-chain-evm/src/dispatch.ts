import { type Asset, unitsOf } from './assets.js';
import type { Attempt, Kinds, SendBody, WalletBody, WalletChange } from './documents.js';
import type { Fee } from './fees.js';
import type { Place } from './place.js';
import { RpcOutageError } from './rpc.js';
import { signAttempt, transferAction } from './sign.js';
import type { WalletView, WalletViews } from './wallet-view.js';

type SendDoc = Kinds['evm_send'];

/** Whether a queued send can take a nonce now, has to wait, or is refused. */
type Readiness =
  | { readonly kind: 'ready'; readonly gas: bigint; readonly fee: Fee; readonly view: WalletView }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly failure: NonNullable<SendBody['failure']> };

/**
 * Gives queued sends their nonces: one commit takes the nonce from the wallet and stores it with the signed bytes on the
 * send. Only committed bytes are broadcast, so a crash or a second process at any point leaves at most one transaction
 * for the send.
 */
export function dispatcherOf(place: Place, views: WalletViews) {
  const { documents, network, now } = place;
  let turn: Promise<unknown> = Promise.resolve();
  /** Units of the sends since the view was read, which the view does not include. */
  let since: { view: WalletView; units: Map<string, bigint> } | null = null;

  /** Serialises the nonces of this process. Conflicts with other processes show at the commit. */
  function exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  }

  function unitsSince(view: WalletView): Map<string, bigint> {
    if (since?.view !== view) since = { view, units: new Map() };
    return since.units;
  }

  async function readinessOf({ body }: SendDoc, asset: Asset): Promise<Readiness> {
    const view = await views.current();
    if (view.problem !== null || view.assetProblems.has(asset.asset) || view.fee === null) return { kind: 'waiting' };
    const units = BigInt(body.units);
    const free = (view.free.get(asset.asset) ?? 0n) - (unitsSince(view).get(asset.asset) ?? 0n);
    const forGas = asset.token === null ? view.fee.maxFee * NATIVE_SEND_GAS : 0n;
    if (free < units + forGas) {
      place.alarms.hold(true, 'wallet_unfunded', {
        network: network.network,
        wallet: place.address,
        asset: asset.asset,
      });
      return { kind: 'waiting' };
    }
    const gas = await gasOf(place, asset, body);
    if (gas === null) return receiverRefusal(place, asset, body);
    return { kind: 'ready', gas, fee: view.fee, view };
  }

  async function takeNonce(
    doc: SendDoc,
    asset: Asset,
    { gas, fee, view }: Readiness & { kind: 'ready' },
  ): Promise<SendDoc> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const wallet = await loadWallet(place, view);
      if (wallet.status === 'paused') return wait(doc);
      const { nextNonce } = wallet.body;
      if (view.count > nextNonce) {
        await pauseForConflict(place, wallet, `Nonces ${nextNonce} to ${view.count - 1} were spent by another signer.`);
        return wait(doc);
      }
      if (nextNonce - view.count >= (network.inFlightMax ?? IN_FLIGHT_MAX)) return wait(doc);
      const spending = spend(place, wallet.body, asset, BigInt(doc.body.units));
      if (spending === null) return refuse(doc, limitReached(place, asset));
      const action = transferAction(asset.token, doc.body.to, BigInt(doc.body.units));
      const attempt = await signAttempt(place, { action, nonce: nextNonce, gas, fee, kind: 'transfer' });
      const next = sending(doc, { nonce: nextNonce, attempt, sinceBlock: view.head.number }, now() + network.pollMs);
      const isCommitted = await documents.commit(
        { kind: 'evm_send', next },
        { kind: 'evm_wallet', next: { ...wallet, body: { ...spending, nextNonce: nextNonce + 1 } } },
        ...(await documents.writesOf([{ hash: attempt.hash, callId: doc.id, as: 'send' }])),
      );
      if (isCommitted) {
        const taken = unitsSince(view);
        taken.set(asset.asset, (taken.get(asset.asset) ?? 0n) + BigInt(doc.body.units));
        return { ...next, version: next.version + 1 };
      }
      // Either another send took the nonce, or another process has changed this send.
      const stored = await documents.load('evm_send', doc.id);
      if (stored !== null && stored.version !== doc.version) return stored;
    }
    return wait(doc);
  }

  /** Stores the send as queued, to be tried again after the poll interval. */
  async function wait(doc: SendDoc): Promise<SendDoc> {
    const next: SendDoc = { ...doc, status: 'queued', dueAt: now() + network.pollMs };
    return write(next);
  }

  async function refuse(doc: SendDoc, failure: NonNullable<SendBody['failure']>): Promise<SendDoc> {
    return write({ ...doc, status: 'refused', dueAt: null, body: { ...doc.body, failure } });
  }

  async function write(next: SendDoc): Promise<SendDoc> {
    if (await documents.commit({ kind: 'evm_send', next })) return { ...next, version: next.version + 1 };
    const stored = await documents.load('evm_send', next.id);
    if (stored === null) throw new Error(`Send ${next.id} could not be stored.`);
    return stored;
  }

  return {
    /** Signs and broadcasts the send if that is possible now. Returns the stored send. */
    async dispatch(doc: SendDoc, asset: Asset): Promise<SendDoc> {
      let readiness: Readiness;
      try {
        readiness = await readinessOf(doc, asset);
      } catch (error) {
        if (!(error instanceof RpcOutageError)) throw error;
        return wait(doc);
      }
      if (readiness.kind === 'waiting') return wait(doc);
      if (readiness.kind === 'refused') return refuse(doc, readiness.failure);
      const ready = readiness;
      const stored = await exclusive(() => takeNonce(doc, asset, ready));
      const attempt = stored.status === 'sending' ? stored.body.attempts.at(-1) : undefined;
      if (attempt !== undefined) await place.rpc.broadcast(attempt.raw);
      return stored;
    },
    refuse,
  };
}

const TRIES_MAX = 8;
const IN_FLIGHT_MAX = 64;
const NATIVE_SEND_GAS = 30_000n;
const DAY_TEXT_LENGTH = 10;

function sending(
  doc: SendDoc,
  { nonce, attempt, sinceBlock }: { nonce: number; attempt: Attempt; sinceBlock: number },
  dueAt: number,
): SendDoc {
  return { ...doc, status: 'sending', dueAt, body: { ...doc.body, nonce, sinceBlock, attempts: [attempt] } };
}

/** Loads the wallet. The first nonce of a new one follows the transactions on the chain, including pending ones. */
export async function loadWallet(place: Place, view: WalletView) {
  const { documents, walletId, address, rpc } = place;
  const stored = await documents.load('evm_wallet', walletId);
  if (stored !== null) return stored;
  return newWallet(place, Math.max(view.count, await rpc.transactionCount(address, 'pending')));
}

/** A new wallet, not stored yet. */
export function newWallet({ walletId, network, address }: Place, nextNonce: number): Kinds['evm_wallet'] {
  const spending = { day: '', spent: {} };
  const body: WalletBody = {
    network: network.network,
    address,
    nextNonce,
    ...spending,
    pausedBecause: null,
    history: [],
  };
  return { id: walletId, version: 0, status: 'active', dueAt: null, body };
}

/** The wallet after a pause or a resumption, with the change in its history. */
export function changedWallet(wallet: Kinds['evm_wallet'], change: WalletChange): Kinds['evm_wallet'] {
  const { to: status, reason } = change;
  const history = [...wallet.body.history, change];
  const pausedBecause = status === 'paused' ? reason : null;
  return { ...wallet, status, body: { ...wallet.body, pausedBecause, history } };
}

/** Pauses the wallet and raises an alarm: another signer uses its key, so no nonce is safe. */
export async function pauseForConflict(place: Place, wallet: Kinds['evm_wallet'], reason: string): Promise<void> {
  const next = changedWallet(wallet, { at: place.now(), to: 'paused', by: 'leg', reason });
  const isPaused = await place.documents.commit({ kind: 'evm_wallet', next });
  if (isPaused) place.alarms.raise('nonce_conflict', { network: place.network.network, wallet: place.address, reason });
}

/** The wallet's body after it spends the units today; null when that exceeds the daily limit. */
function spend({ wallet, now }: Place, body: WalletBody, asset: Asset, units: bigint): WalletBody | null {
  const day = new Date(now()).toISOString().slice(0, DAY_TEXT_LENGTH);
  const spent = day === body.day ? body.spent : {};
  const total = BigInt(spent[asset.asset] ?? '0') + units;
  const limit = limitUnits(wallet.maxPerDay, asset);
  if (limit !== null && total > limit) return null;
  return { ...body, day, spent: { ...spent, [asset.asset]: String(total) } };
}

/** Whether the daily limit of the asset is used up. */
export function dayLimitReached(place: Place, body: WalletBody, asset: Asset): boolean {
  return spend(place, body, asset, 1n) === null;
}

/** A limit in units; null without one. */
export function limitUnits(limits: Readonly<Record<string, string>> | undefined, asset: Asset): bigint | null {
  const limit = limits?.[asset.asset];
  if (limit === undefined) return null;
  const units = unitsOf(limit, asset);
  if (units === null) throw new Error(`The limit ${limit} of ${asset.asset} is not an amount.`);
  return units;
}

/** The failure of a send above a limit. Raises an alarm, so that an operator looks at it. */
export function limitReached({ alarms, network, address }: Place, { asset }: Asset): NonNullable<SendBody['failure']> {
  alarms.raise('wallet_limit_reached', { network: network.network, wallet: address, asset });
  return { code: 'limit_exceeded', message: 'The amount is above what can be delivered today.', retryable: true };
}

/** The gas estimate with a margin; null when the transfer would revert. */
async function gasOf(
  { rpc, address }: Place,
  asset: Asset,
  body: Pick<SendBody, 'to' | 'units'>,
): Promise<bigint | null> {
  const action = transferAction(asset.token, body.to, BigInt(body.units));
  try {
    const gas = await rpc.ask(() => rpc.client.estimateGas({ account: address, ...action }));
    return asset.token === null && gas <= 21_000n ? gas : (gas * 5n) / 4n;
  } catch (error) {
    if (error instanceof RpcOutageError) throw error;
    return null;
  }
}

/** Finds out why a transfer reverts: the receiver is the cause if the same transfer to another address works, otherwise the token. */
async function receiverRefusal(place: Place, asset: Asset, body: SendBody): Promise<Readiness> {
  const elsewhere = await gasOf(place, asset, { to: OTHER_RECEIVER, units: body.units });
  const { alarms, network } = place;
  alarms.hold(elsewhere === null, 'token_transfer_reverts', { network: network.network, asset: asset.asset });
  if (elsewhere === null) return { kind: 'waiting' };
  const message = `The receiving address does not accept ${asset.asset}.`;
  return { kind: 'refused', failure: { code: 'settlement_error', message, retryable: true } };
}

const OTHER_RECEIVER = '0x00000000000000000000000067617465726D7001';
