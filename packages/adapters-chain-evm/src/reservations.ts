import type { ChainLeg, LegCall, LegRefused, SendOrder } from '@gateramp/provider-legs';
import { formatUnits } from 'viem';

import type { Asset } from './assets.js';
import { sendProblemOf, viewOf } from './availability.js';
import type { Failure, Kinds, Origin, WalletBody, Write } from './documents.js';
import { type Fee, feeFor } from './fees.js';
import { gasOf, holdFeeAlarms, receiverRefusal, worthOf } from './gas.js';
import { orderRefusal } from './order.js';
import type { Place } from './place.js';
import {
  dayLeft,
  dayOf,
  freeUnits,
  limitReached,
  limitUnits,
  stockReached,
  withoutReserved,
  withReserved,
} from './spending.js';
import { arrivalProblem } from './token-check.js';
import { FEE_PROBLEMS, GAS_OF_A_SEND, type WalletView, type WalletViews } from './wallet-view.js';
import { loadWallet } from './wallet-document.js';

type ReservationDoc = Kinds['evm_reservation'];

/** The amounts that are set aside on one network before buyers pay. */
export function reservationsOn(place: Place, views: WalletViews) {
  const { documents, network } = place;

  /** How much can be reserved, and which limit says so. */
  async function leftFor(asset: Asset, view: WalletView, body: WalletBody) {
    const day = dayLeft(place, body, { asset, day: await dayOf(place, body) });
    const floor = limitUnits(place.wallet.floor, asset) ?? 0n;
    const gas = asset.token === null ? gasOfHolds(view, body) : 0n;
    const stock = freeUnits(view, body, asset.asset) - floor - gas;
    return { day, stock: stock > 0n ? stock : 0n };
  }

  /** Gas for one more send, and for each reservation that is held. */
  function gasOfHolds(view: WalletView, body: WalletBody): bigint {
    const found = feeFor(network, view.market, { gas: GAS_OF_A_SEND, worth: null });
    const fee: Fee = found.kind === 'fee' ? found.fee : { maxFee: 0n, tip: 0n };
    return fee.maxFee * GAS_OF_A_SEND * BigInt((body.holds ?? 0) + 1);
  }

  /** Why the amount cannot be reserved now, from its limits; null when it can. */
  async function amountRefusal(asset: Asset, units: bigint, state: { view: WalletView; body: WalletBody }) {
    const { view, body } = state;
    const left = await leftFor(asset, view, body);
    if (left.day !== null && units > left.day) return limitReached(place, asset);
    if (units > left.stock) return stockReached(place, asset);
    const hasGas = asset.token === null || freeUnits(view, body, network.native) >= gasOfHolds(view, body);
    return hasGas ? null : temporary(`The wallet has too little ${network.native} for gas.`);
  }

  /** Why the transfer would fail now, from its simulation; null when it would work. */
  async function transferRefusal(asset: Asset, order: SendOrder, state: { view: WalletView; units: bigint }) {
    const { view, units } = state;
    const gas = await gasOf(place, asset, { to: order.to, units });
    if (gas === null) {
      views.forget();
      const refusal = await receiverRefusal(place, asset, { units, call: order.callId });
      return refusal ?? temporary(`${asset.asset} cannot be transferred now.`);
    }
    const arrival = await arrivalProblem(place, asset, { to: order.to, units });
    if (arrival !== null) {
      views.forget();
      return temporary(arrival);
    }
    const fee = feeFor(network, view.market, { gas, worth: await worthOf(place, asset, units) });
    holdFeeAlarms(place, 'reserve', fee.kind);
    return fee.kind === 'fee' ? null : temporary(FEE_PROBLEMS[fee.kind]);
  }

  /** The view with the newest wallet, and why nothing can be sent. */
  async function stateFor(asset: Asset) {
    const found = await viewOf(place, views);
    if (typeof found === 'string') return found;
    const wallet = await loadWallet(place);
    return sendProblemOf(place, asset, { view: found, wallet }) ?? { view: found, wallet };
  }

  async function store(order: SendOrder, asset: Asset | undefined, units: bigint): Promise<ReservationDoc> {
    const { callId, to, since } = order;
    const facts = { network: network.network, chainId: network.chainId, wallet: place.address, to };
    const doc = (failure: Failure | null, origin: Origin): ReservationDoc => ({
      id: callId,
      version: 0,
      status: failure === null ? 'held' : 'released',
      dueAt: null,
      body: { ...facts, asset: order.asset, units: String(units), origin, failure },
    });
    const origin = { at: since ?? null, block: null };
    const refused = async (failure: Failure) => write([{ kind: 'evm_reservation', next: doc(failure, origin) }]);
    const write = async (writes: readonly Write[]) => {
      await documents.commit(...writes);
      return documents.load('evm_reservation', callId);
    };
    for (;;) {
      const stored = await documents.load('evm_reservation', callId);
      if (stored !== null) return stored;
      const refusal = await orderRefusal(place, order, { asset, units });
      if (refusal !== null || asset === undefined) {
        await refused(refusal ?? temporary(`${order.asset} is not served.`));
        continue;
      }
      const state = await stateFor(asset);
      if (typeof state === 'string') {
        await refused(temporary(state));
        continue;
      }
      const { view, wallet } = state;
      const failure =
        (await amountRefusal(asset, units, { view, body: wallet.body })) ??
        (await transferRefusal(asset, order, { view, units }));
      if (failure !== null) {
        await refused(failure);
        continue;
      }
      const next = { ...wallet, body: withReserved(wallet.body, asset.asset, units) };
      const held = doc(null, { ...origin, block: view.head.number });
      await write([
        { kind: 'evm_wallet', next },
        { kind: 'evm_reservation', next: held },
      ]);
    }
  }

  return {
    async deliverable(asset: Asset): Promise<string | null> {
      const state = await stateFor(asset);
      if (typeof state === 'string') return '0';
      const { day, stock } = await leftFor(asset, state.view, state.wallet.body);
      const limits = [stock, day, limitUnits(place.wallet.maxPerSend, asset)].filter((one) => one !== null);
      const least = limits.reduce((a, b) => (a < b ? a : b));
      return formatUnits(least > 0n ? least : 0n, asset.decimals);
    },

    async reserve(order: SendOrder, asset: Asset | undefined, units: bigint): Promise<Reserved> {
      const sent = await documents.load('evm_send', order.callId);
      if (sent?.body.failure) return { kind: 'refused', failure: sent.body.failure };
      if (sent !== null) return { kind: 'reserved' };
      const { status, body } = await store(order, asset, units);
      if (status !== 'released') return { kind: 'reserved' };
      return { kind: 'refused', failure: body.failure ?? RELEASED };
    },

    async release({ callId }: LegCall): Promise<void> {
      for (;;) {
        const stored = await documents.load('evm_reservation', callId);
        if (stored !== null && stored.status !== 'held') return;
        const closed: ReservationDoc = {
          ...{ id: callId, version: 0, status: 'released', dueAt: null },
          body: {
            ...{ network: network.network, chainId: network.chainId, wallet: place.address, asset: '', to: '' },
            ...{ units: '0', origin: { at: null, block: null }, failure: null },
          },
        };
        const writes: readonly Write[] =
          stored === null ? [{ kind: 'evm_reservation', next: closed }] : await releasing(place, callId);
        if (writes.length > 0 && (await documents.commit(...writes))) return;
      }
    },
  };
}

type Reserved = Awaited<ReturnType<ChainLeg['reserve']>>;

/** The writes that give back the held reservation of a call; none when there is none. */
export async function releasing(place: Place, callId: string): Promise<readonly Write[]> {
  const stored = await place.documents.load('evm_reservation', callId);
  if (stored?.status !== 'held') return [];
  const wallet = await loadWallet(place);
  const body = withoutReserved(wallet.body, stored.body.asset, BigInt(stored.body.units));
  return [
    { kind: 'evm_wallet', next: { ...wallet, body } },
    { kind: 'evm_reservation', next: { ...stored, status: 'released' } },
  ];
}

const RELEASED: LegRefused['failure'] = {
  code: 'settlement_error',
  message: 'The reservation was released.',
  retryable: true,
};

function temporary(message: string): Failure {
  return { code: 'settlement_error', message, retryable: true };
}
