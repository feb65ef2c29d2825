import type { LegCall, SendOrder, SendResult } from '@gateramp/provider-legs';

import { type Asset, addressProblem, checksummed, unitsOf } from './assets.js';
import { dispatcherOf, limitReached, limitUnits } from './dispatch.js';
import type { Kinds, SendBody } from './documents.js';
import { followSend } from './follow-send.js';
import type { Place } from './place.js';
import { RpcOutageError } from './rpc.js';
import { bookingOf } from './wallet-books.js';
import type { WalletViews } from './wallet-view.js';

type SendDoc = Kinds['evm_send'];

/** The sends of one network. */
export function sendsOn(place: Place, views: WalletViews) {
  const { documents, network, now } = place;
  const dispatcher = dispatcherOf(place, views);

  const assetOf = (name: string) => place.assets.find(({ asset }) => asset === name);

  /** Why the order is refused in any state of the chain; null when it is not. */
  function refusalOf(order: SendOrder, asset: Asset | undefined, units: bigint | null): SendBody['failure'] {
    const failure = (code: string, message: string) => ({ code, message, retryable: false });
    if (asset === undefined)
      return failure('settlement_error', `${order.asset} is not served on ${network.displayName}.`);
    const problem = addressProblem(network, place.address, order.to);
    if (problem !== null) return failure('wallet_address_invalid', problem);
    if (units === null || units === 0n)
      return failure('settlement_error', `The amount is not payable in ${order.asset}.`);
    const limit = limitUnits(place.wallet.maxPerSend, asset);
    if (limit !== null && units > limit) return limitReached(place, asset);
    return null;
  }

  function newDoc(order: SendOrder, units: bigint | null, failure: SendBody['failure']): SendDoc {
    return {
      id: order.callId,
      version: 0,
      status: 'queued',
      dueAt: now(),
      body: {
        network: network.network,
        chainId: network.chainId,
        wallet: place.address,
        asset: order.asset,
        to: failure === null ? checksummed(order.to) : place.address,
        amount: order.amount,
        units: String(units ?? 0n),
        nonce: null,
        sinceBlock: 0,
        attempts: [],
        lost: [],
        isCancelling: false,
        included: null,
        seen: 0,
        failure,
      },
    };
  }

  return {
    async send(order: SendOrder): Promise<SendResult> {
      const known = await documents.load('evm_send', order.callId);
      if (known !== null) return resultOf(known, network);
      const asset = assetOf(order.asset);
      const units = asset === undefined ? null : unitsOf(order.amount, asset);
      const failure = refusalOf(order, asset, units);
      const doc = newDoc(order, units, failure);
      if (failure !== null || asset === undefined)
        return resultOf(await dispatcher.refuse(doc, failure ?? unknownAsset), network);
      return resultOf(await dispatcher.dispatch(doc, asset), network);
    },

    /** Advances one claimed send. */
    async progress(doc: SendDoc): Promise<void> {
      const asset = assetOf(doc.body.asset);
      if (asset === undefined) return;
      try {
        if (doc.status === 'queued') return void (await dispatcher.dispatch(doc, asset));
        const next = await followSend(place, asset, doc, await views.current());
        if (next === null) return;
        const isFinal = next.dueAt === null;
        const { entries, writes } = isFinal ? await bookingOf(place, next) : NO_BOOKING;
        await documents.book(entries, { kind: 'evm_send', next }, ...writes);
      } catch (error) {
        // The send is claimed again when its lease ends.
        if (!(error instanceof RpcOutageError)) throw error;
      }
    },

    /**
     * Replaces a send that is not in a block by a transfer of nothing with the same nonce. Either may be included; the send ends
     * `confirmed` or `refused`. An unknown call id is stored as refused.
     */
    async cancel(order: SendOrder): Promise<SendResult> {
      const failure = { code: 'settlement_error', message: 'The transfer was cancelled.', retryable: true };
      for (;;) {
        const doc = await documents.load('evm_send', order.callId);
        if (doc === null) {
          await dispatcher.refuse(newDoc(order, null, failure), failure);
          continue;
        }
        if (doc.status === 'confirmed' || doc.status === 'refused' || doc.body.isCancelling)
          return resultOf(doc, network);
        const next: SendDoc =
          doc.status === 'queued'
            ? { ...doc, status: 'refused', dueAt: null, body: { ...doc.body, failure } }
            : { ...doc, dueAt: now(), body: { ...doc.body, isCancelling: true } };
        if (await documents.commit({ kind: 'evm_send', next })) return resultOf(next, network);
      }
    },
  };
}

const NO_BOOKING = { entries: [], writes: [] } as const;
const unknownAsset = { code: 'settlement_error', message: 'The token is not served.', retryable: false };

/** The state of the stored send of a call, on any network. */
export async function lookupStored(places: readonly Place[], { callId }: LegCall): Promise<SendResult | null> {
  const doc = await places[0]?.documents.load('evm_send', callId);
  if (doc === null || doc === undefined) return null;
  const place = places.find(({ network }) => network.network === doc.body.network);
  if (place === undefined) throw new Error(`Send ${callId} is on ${doc.body.network}, which is not configured.`);
  return resultOf(doc, place.network);
}

function resultOf({ status, body }: SendDoc, { confirmations, pollMs }: Place['network']): SendResult {
  if (status === 'refused') return { kind: 'refused', failure: body.failure ?? unknownAsset };
  return {
    kind: status === 'confirmed' ? 'confirmed' : 'sending',
    hash: body.included?.hash ?? body.attempts.at(-1)?.hash ?? null,
    seen: body.seen,
    required: confirmations,
    checkAfterMs: pollMs,
  };
}
