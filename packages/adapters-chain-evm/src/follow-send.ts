import type { TransactionReceipt } from 'viem';
import { erc20Abi, isAddressEqual, parseEventLogs } from 'viem';

import type { Asset } from './assets.js';
import { loadWallet, pauseForConflict } from './dispatch.js';
import type { Attempt, Kinds, SendBody } from './documents.js';
import { bumped } from './fees.js';
import { findSpender } from './find-spender.js';
import type { Place } from './place.js';
import { cancelAction, signAttempt, transferAction } from './sign.js';
import type { WalletView } from './wallet-view.js';

type SendDoc = Kinds['evm_send'];

/** An attempt that a block on the main chain includes. */
interface Inclusion {
  readonly attempt: Attempt;
  readonly receipt: TransactionReceipt;
  readonly block: number;
}

/**
 * One look at a signed send: counts confirmations, broadcasts stored bytes again, raises the fee of a stuck one. Returns
 * what to store, or null when another process changed the send meanwhile. It throws while the RPC does not answer.
 */
export async function followSend(place: Place, asset: Asset, doc: SendDoc, view: WalletView): Promise<SendDoc | null> {
  const { network, now } = place;
  const inclusion = await findInclusion(place, doc.body.attempts);
  if (inclusion !== null) return afterInclusion(place, asset, doc, { inclusion, view });

  if (doc.status === 'confirmed') {
    if (doc.body.included !== null)
      place.alarms.raise('send_reorged', { network: network.network, send: doc.id, hash: doc.body.included.hash });
    await rebroadcast(place, doc);
    return { ...doc, dueAt: now() + network.pollMs, body: { ...doc.body, included: null } };
  }

  const unseen: SendDoc = { ...doc, dueAt: now() + network.pollMs, body: { ...doc.body, included: null, seen: 0 } };
  const { nonce } = doc.body;
  if (nonce === null) return unseen;
  if (view.count > nonce) return afterSpentNonce(place, unseen, view);

  const last = doc.body.attempts.at(-1);
  const mustCancel = doc.body.isCancelling && last?.kind === 'transfer';
  // What is to be cancelled is not helped into a block.
  const answer = mustCancel ? null : await rebroadcast(place, doc);
  const isStuck = last !== undefined && now() - last.at >= (network.bumpAfterMs ?? BUMP_AFTER_MS);
  const isNext = view.count === nonce;
  if (mustCancel || (isNext && (isStuck || answer === 'fee_too_low'))) return replace(place, unseen, { asset, view });
  return unseen;
}

const BUMP_AFTER_MS = 30_000;

/** The attempt that the main chain includes, if any. A receipt of a block that the node itself no longer has is ignored. */
async function findInclusion({ rpc }: Place, attempts: readonly Attempt[]): Promise<Inclusion | null> {
  for (const attempt of attempts.toReversed()) {
    const receipt = await rpc.receipt(attempt.hash);
    if (receipt === null) continue;
    const block = Number(receipt.blockNumber);
    const header = await rpc.blockAt(block);
    if (header?.hash === receipt.blockHash) return { attempt, receipt, block };
  }
  return null;
}

function afterInclusion(
  place: Place,
  asset: Asset,
  doc: SendDoc,
  { inclusion: { attempt, receipt, block }, view }: { inclusion: Inclusion; view: WalletView },
): SendDoc {
  const { network, alarms, now } = place;
  const isFinal = block <= view.finalized;
  const depth = Math.max(1, view.head.number - block + 1);
  const isDeep = network.finality === 'tag' ? isFinal : depth >= network.confirmations;
  // Shown as one short of done until it is.
  const seen = isDeep ? network.confirmations : Math.min(depth, network.confirmations - 1);
  const body: SendBody = { ...doc.body, included: { hash: attempt.hash, block }, seen };
  const next: SendDoc = { ...doc, dueAt: isFinal && isDeep ? null : now() + network.pollMs, body };
  const label = { network: network.network, send: doc.id, hash: attempt.hash };

  const isReverted = receipt.status !== 'success';
  if (attempt.kind === 'cancellation' || isReverted) {
    // Before that, a reorganization could still let the transfer through.
    if (!isFinal) return { ...next, body: { ...body, seen: 0 }, dueAt: now() + network.pollMs };
    if (doc.status === 'confirmed') return next;
    if (isReverted) alarms.raise('send_reverted', label);
    const failure = {
      code: 'settlement_error',
      message: isReverted ? 'The network rejected the transfer.' : 'The transfer was cancelled.',
      retryable: true,
    };
    return { ...next, status: 'refused', dueAt: null, body: { ...body, seen: 0, failure } };
  }
  if (!isDeep || doc.status === 'confirmed') return next;
  if (!movedTokens(asset, doc.body, receipt)) {
    alarms.hold(true, 'send_without_transfer', { ...label, asset: asset.asset });
    return { ...next, dueAt: now() + network.pollMs, body: { ...body, seen: network.confirmations - 1 } };
  }
  return { ...next, status: 'confirmed' };
}

/** Some tokens report failure by a return value instead of reverting. */
function movedTokens({ token }: Asset, { wallet, to }: SendBody, receipt: TransactionReceipt): boolean {
  if (token === null) return true;
  return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs }).some(
    ({ address, args }) =>
      isAddressEqual(address, token) &&
      isAddressEqual(args.from, wallet) &&
      isAddressEqual(args.to, to) &&
      args.value > 0n,
  );
}

/** Only bytes that are stored, and the newest of them. */
async function rebroadcast({ rpc }: Place, { body }: SendDoc) {
  const last = body.attempts.at(-1);
  return last === undefined ? null : rpc.broadcast(last.raw);
}

/** Signs a replacement with the same nonce, stores it, then broadcasts it. */
async function replace(
  place: Place,
  doc: SendDoc,
  { asset, view }: { asset: Asset; view: WalletView },
): Promise<SendDoc | null> {
  const { body } = doc;
  const last = body.attempts.at(-1);
  const isPaused = (await place.documents.load('evm_wallet', place.walletId))?.status === 'paused';
  if (body.nonce === null || last === undefined || (isPaused && !body.isCancelling)) return doc;
  const market = view.fee ?? { maxFee: 0n, tip: 0n };
  const fee = bumped(place.network, { maxFee: BigInt(last.maxFee), tip: BigInt(last.tip) }, market);
  place.alarms.hold(fee === null, 'gas_ceiling', { network: place.network.network, wallet: place.address });
  if (fee === null) return doc;
  const kind = body.isCancelling ? 'cancellation' : 'transfer';
  const action =
    kind === 'transfer' ? transferAction(asset.token, body.to, BigInt(body.units)) : cancelAction(place.address);
  const gas = kind === 'transfer' ? BigInt(last.gas) : CANCEL_GAS;
  const attempt = await signAttempt(place, { action, nonce: body.nonce, gas, fee, kind });
  const next: SendDoc = { ...doc, body: { ...body, attempts: [...body.attempts, attempt] } };
  if (!(await place.documents.commit({ kind: 'evm_send', next }))) return null;
  await place.rpc.broadcast(attempt.raw);
  return { ...next, version: next.version + 1 };
}

/** A transfer of nothing to the wallet itself; Arbitrum asks for more than 21,000. */
const CANCEL_GAS = 100_000n;

/**
 * The nonce is spent and no attempt has a receipt. A node that lags or leaves out receipts shows the same, so only the
 * transaction itself, in a final block, proves that it was another signer's. Then the send may take another nonce, after
 * the wallet is resumed.
 */
async function afterSpentNonce(place: Place, doc: SendDoc, view: WalletView): Promise<SendDoc | null> {
  const { nonce, attempts, sinceBlock, lost } = doc.body;
  if (nonce === null) return doc;
  const spender = await findSpender(place, { nonce, from: sinceBlock, to: view.finalized });
  if (spender === null || attempts.some(({ hash }) => hash === spender)) return doc;
  const wallet = await loadWallet(place, view);
  const reason = `Nonce ${nonce} of send ${doc.id} was spent by ${spender}, which this wallet's service did not sign.`;
  if (wallet.status === 'active') await pauseForConflict(place, wallet, reason);
  if ((await place.documents.load('evm_wallet', place.walletId))?.status !== 'paused') return doc;
  const isCancelled = doc.body.isCancelling;
  const failure = isCancelled
    ? { code: 'settlement_error', message: 'The transfer was cancelled.', retryable: true }
    : null;
  return {
    ...doc,
    status: isCancelled ? 'refused' : 'queued',
    body: { ...doc.body, nonce: null, attempts: [], lost: [...lost, { nonce, by: spender, attempts }], failure },
  };
}
