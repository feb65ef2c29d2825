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

/** An attempt that is included in a block of the main chain. */
interface Inclusion {
  readonly attempt: Attempt;
  readonly receipt: TransactionReceipt;
  readonly block: number;
}

/**
 * Checks a signed send once: counts confirmations, broadcasts stored bytes again, and raises the fee of a stuck send. Returns
 * the send to store, or null when another process has changed it meanwhile. Throws while the RPC does not answer.
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
  // A transfer that is to be cancelled is not broadcast again.
  const answer = mustCancel ? null : await rebroadcast(place, doc);
  const isStuck = last !== undefined && now() - last.at >= (network.bumpAfterMs ?? BUMP_AFTER_MS);
  const isNext = view.count === nonce;
  if (mustCancel || (isNext && (isStuck || answer === 'fee_too_low'))) return replace(place, unseen, { asset, view });
  return unseen;
}

const BUMP_AFTER_MS = 30_000;

/** Finds the attempt that the main chain includes. Ignores a receipt whose block is not on the node's main chain. */
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
  // One less than required until the block counts as confirmed.
  const seen = isDeep ? network.confirmations : Math.min(depth, network.confirmations - 1);
  const body: SendBody = { ...doc.body, included: { hash: attempt.hash, block }, seen };
  const next: SendDoc = { ...doc, dueAt: isFinal && isDeep ? null : now() + network.pollMs, body };
  const label = { network: network.network, send: doc.id, hash: attempt.hash };

  const isReverted = receipt.status !== 'success';
  if (attempt.kind === 'cancellation' || isReverted) {
    // Until then, a reorganization could still include the transfer.
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

/** Whether the receipt shows the transfer. Some tokens report a failure by a return value instead of reverting. */
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

/** Broadcasts the stored bytes of the newest attempt again. */
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
  const as = kind === 'transfer' ? 'send' : 'cancellation';
  const found = await place.documents.writesOf([{ hash: attempt.hash, callId: doc.id, as }]);
  if (!(await place.documents.commit({ kind: 'evm_send', next }, ...found))) return null;
  await place.rpc.broadcast(attempt.raw);
  return { ...next, version: next.version + 1 };
}

/** Gas for a transfer of nothing to the wallet itself. Arbitrum needs more than 21,000. */
const CANCEL_GAS = 100_000n;

/**
 * Handles a spent nonce without a receipt for any attempt. A node that lags or leaves out receipts shows the same, so only a
 * transaction of another signer in a final block is proof. Then the wallet is paused, and the send takes another nonce after it
 * was resumed.
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
