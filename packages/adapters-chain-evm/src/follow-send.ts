import { type Address, erc20Abi, formatUnits, isAddressEqual, parseEventLogs, type TransactionReceipt } from 'viem';

import type { Asset } from './assets.js';
import type { Attempt, Kinds, SendBody } from './documents.js';
import { bumped } from './fees.js';
import { findSpender } from './find-spender.js';
import { holdFeeAlarms, worthOf } from './gas.js';
import { attemptOf, contentOf, type OutsideSpends } from './outside-spends.js';
import type { Place } from './place.js';
import { cancelAction, signAttempt, transferAction } from './sign.js';
import { loadWallet } from './wallet-document.js';
import { isOld, type WalletView } from './wallet-view.js';

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
export async function followSend(
  place: Place,
  spends: OutsideSpends,
  { asset, doc, view }: { asset: Asset; doc: SendDoc; view: WalletView },
): Promise<SendDoc | null> {
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
  if (view.count > nonce) return afterSpentNonce(place, spends, { doc: unseen, view });

  const last = doc.body.attempts.at(-1);
  const mustCancel = doc.body.isCancelling && last?.kind === 'transfer';
  // A transfer that is to be cancelled is not broadcast again.
  const answer = mustCancel ? null : await rebroadcast(place, doc);
  const isStuck = last !== undefined && now() - last.at >= (network.bumpAfterMs ?? BUMP_AFTER_MS);
  const isNext = view.count === nonce;
  // Without a new block, a higher fee changes nothing.
  const hasNewBlock = view.head.number > (last?.block ?? doc.body.sinceBlock) && !isOld(place, view);
  const isUnderpriced = isNext && hasNewBlock && (isStuck || answer === 'fee_too_low');
  return mustCancel || isUnderpriced ? replace(place, unseen, { asset, view }) : unseen;
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

async function afterInclusion(
  place: Place,
  asset: Asset,
  doc: SendDoc,
  { inclusion: { attempt, receipt, block }, view }: { inclusion: Inclusion; view: WalletView },
): Promise<SendDoc> {
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
  const units = BigInt(body.units);
  const arrived = asset.token === null ? units : arrivedIn(receipt, asset.token, body);
  if (arrived < units)
    return stoppedShort(place, { ...next, body: { ...body, seen: network.confirmations - 1 } }, { asset, arrived });
  return { ...next, status: 'confirmed' };
}

/** The units that the receipt shows to arrive. A token may report a failure by a return value, or take a fee. */
function arrivedIn(receipt: TransactionReceipt, token: Address, { wallet, to }: SendBody): bigint {
  return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs })
    .filter(
      ({ address, args }) =>
        isAddressEqual(address, token) && isAddressEqual(args.from, wallet) && isAddressEqual(args.to, to),
    )
    .reduce((sum, { args }) => sum + args.value, 0n);
}

/**
 * A final send of which less than the amount arrived. It stays unconfirmed until an operator resolves its operation, and the token is not
 * sold until an operator resumes the wallet.
 */
async function stoppedShort(
  place: Place,
  doc: SendDoc,
  { asset: { asset, decimals }, arrived }: { asset: Asset; arrived: bigint },
): Promise<SendDoc> {
  const { network, documents, alarms } = place;
  const hash = doc.body.included?.hash ?? '';
  const problem = `Of ${doc.body.amount} ${asset}, ${formatUnits(arrived, decimals)} arrived with transaction ${hash}.`;
  if (doc.body.problem === undefined)
    alarms.raise('send_without_transfer', { network: network.network, send: doc.id, asset, hash, reason: problem });
  const wallet = await loadWallet(place);
  if (wallet.body.stopped?.[asset] === undefined && doc.body.problem === undefined) {
    const stopped = { ...wallet.body.stopped, [asset]: `A transfer of ${asset} arrived in part.` };
    const isStored = await documents.commit({
      kind: 'evm_wallet',
      next: { ...wallet, body: { ...wallet.body, stopped } },
    });
    // Tried again in the next round.
    if (!isStored) return doc;
  }
  return { ...doc, body: { ...doc.body, problem, arrived: String(arrived) } };
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
  const kind = body.isCancelling ? 'cancellation' : 'transfer';
  const units = BigInt(body.units);
  const action = kind === 'transfer' ? transferAction(asset.token, body.to, units) : cancelAction(place.address);
  const gas = kind === 'transfer' ? BigInt(last.gas) : CANCEL_GAS;
  const isCancellation = kind === 'cancellation';
  // The gas limit of a cancellation is far above what it uses.
  const first = body.attempts[0] ?? last;
  const limits = { gas: BigInt(first.gas), worth: await worthOf(place, asset, units), isCancellation };
  const old = { maxFee: BigInt(last.maxFee), tip: BigInt(last.tip) };
  const raised = bumped(place.network, old, { market: view.market, limits });
  holdFeeAlarms(place, doc.id, raised.kind);
  if (raised.kind !== 'fee') return doc;
  const block = view.head.number;
  const attempt = await signAttempt(place, { action, nonce: body.nonce, gas, fee: raised.fee, kind, block });
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
 * Handles a spent nonce without a receipt for any attempt. A node that lags or leaves out receipts shows the same, so only
 * another transaction of the wallet is proof. After a restore, that may be a later attempt of this send, which is adopted.
 * Otherwise it must be in a final block. Then the wallet is paused, and the send takes another nonce after it was resumed.
 */
async function afterSpentNonce(
  place: Place,
  spends: OutsideSpends,
  { doc, view }: { doc: SendDoc; view: WalletView },
): Promise<SendDoc | null> {
  const { nonce, attempts, sinceBlock } = doc.body;
  if (nonce === null) return doc;
  const found = await findSpender(place, { nonce, from: sinceBlock, to: view.head.number });
  if (found === null || attempts.some(({ hash }) => hash === found.transaction.hash)) return doc;
  const { transaction } = found;
  const content = contentOf(place, transaction);
  const { asset, to, units } = doc.body;
  const isOurs =
    content === 'nothing' ||
    (content !== 'unknown' && content.asset === asset && content.units === units && isAddressEqual(content.to, to));
  if (isOurs) {
    const kind = content === 'nothing' ? 'cancellation' : 'transfer';
    const attempt = await attemptOf(place, { transaction, kind, block: view.head.number });
    const next = { ...doc, dueAt: place.now(), body: { ...doc.body, attempts: [...attempts, attempt] } };
    const as = kind === 'transfer' ? 'send' : 'cancellation';
    const writes = await place.documents.writesOf([{ hash: attempt.hash, callId: doc.id, as }]);
    await place.documents.commit({ kind: 'evm_send', next }, ...writes);
    return null;
  }
  return found.block.number <= view.finalized ? spends.replaced(doc, found, view) : doc;
}
