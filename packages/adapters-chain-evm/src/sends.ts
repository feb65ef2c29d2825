import type { LegCall, SendOrder, SendResult } from '@gateramp/provider-legs';

import { checksummed, unitsOf } from './assets.js';
import { dispatcherOf } from './dispatch.js';
import type { Kinds, SendBody } from './documents.js';
import { followSend } from './follow-send.js';
import { depositRefusal, orderRefusal } from './order.js';
import { CANCELLED, outsideSpendsOf, UnexplainedNonceError } from './outside-spends.js';
import type { Place } from './place.js';
import { reservationsOn } from './reservations.js';
import { RpcOutageError } from './rpc.js';
import { bookingOf } from './wallet-books.js';
import type { WalletViews } from './wallet-view.js';

type SendDoc = Kinds['evm_send'];

/** The sends of one network. */
export function sendsOn(place: Place, views: WalletViews) {
  const { documents, network, now } = place;
  const spends = outsideSpendsOf(place);
  const dispatcher = dispatcherOf(place, views, spends);
  const reservations = reservationsOn(place, views);

  const assetOf = (name: string) => place.assets.find(({ asset }) => asset === name);

  /** The document of a new send. What is known about its origin is at its reservation. */
  async function newDoc(order: SendOrder, units: bigint | null, failure: SendBody['failure']): Promise<SendDoc> {
    const reservation = await documents.load('evm_reservation', order.callId);
    const origin = { at: order.since ?? null, block: reservation?.body.origin.block ?? null };
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
        origin,
      },
    };
  }

  return {
    async send(order: SendOrder): Promise<SendResult> {
      const known = await documents.load('evm_send', order.callId);
      if (known !== null) return resultOf(known, network);
      const asset = assetOf(order.asset);
      const units = asset === undefined ? null : unitsOf(order.amount, asset);
      const reservation = await documents.load('evm_reservation', order.callId);
      // An amount that was reserved is not refused for a limit that was lowered since.
      const isReserved = reservation?.status === 'held' && reservation.body.units === String(units);
      const failure = await (isReserved
        ? depositRefusal(place, order.to)
        : orderRefusal(place, order, { asset, units }));
      const doc = await newDoc(order, units, failure);
      if (failure !== null || asset === undefined)
        return resultOf(await dispatcher.refuse(doc, failure ?? unknownAsset), network);
      return resultOf(await dispatcher.dispatch(doc, asset), network);
    },

    reserve(order: SendOrder) {
      const asset = assetOf(order.asset);
      const units = asset === undefined ? null : unitsOf(order.amount, asset);
      return reservations.reserve(order, asset, units ?? 0n);
    },

    /** Advances one claimed send. */
    async progress(doc: SendDoc): Promise<void> {
      const asset = assetOf(doc.body.asset);
      if (asset === undefined) return;
      try {
        if (doc.status === 'queued') return void (await dispatcher.dispatch(doc, asset));
        const next = await followSend(place, spends, { asset, doc, view: await views.current() });
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
      for (;;) {
        const doc = await documents.load('evm_send', order.callId);
        if (doc === null) {
          const asset = assetOf(order.asset);
          const units = asset === undefined ? null : unitsOf(order.amount, asset);
          const made = await newDoc(order, units, await orderRefusal(place, order, { asset, units }));
          await (asset === undefined || made.body.failure !== null
            ? dispatcher.refuse(made, CANCELLED)
            : dispatcher.dispatch({ ...made, body: { ...made.body, isCancelling: true } }, asset));
          continue;
        }
        if (doc.status === 'confirmed' || doc.status === 'refused' || doc.body.isCancelling)
          return resultOf(doc, network);
        const next: SendDoc = { ...doc, dueAt: now(), body: { ...doc.body, isCancelling: true } };
        if (!(await documents.commit({ kind: 'evm_send', next }))) continue;
        const stored = { ...next, version: next.version + 1 };
        const asset = assetOf(doc.body.asset);
        // The chain may have its transaction, although this database has none, so that is read first.
        if (doc.status === 'queued' && asset !== undefined)
          return resultOf(await dispatcher.dispatch(stored, asset), network);
        return resultOf(stored, network);
      }
    },

    /** Explains the nonces of the chain. Throws while that is impossible. */
    async explain(): Promise<void> {
      if (!(await spends.explain(await views.current(0))))
        throw new UnexplainedNonceError(
          `The RPC of ${network.network} does not show every transaction of the wallet, or some are not in a block yet. Try again, or use an RPC with old states.`,
        );
    },
    reservations,
    assetOf,
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
    ...(body.problem === undefined ? {} : { problem: body.problem }),
  };
}
