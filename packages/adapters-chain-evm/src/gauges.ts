import type { Instant } from '@gateramp/core/domain';
import { formatUnits } from 'viem';
import type { Place } from './place.js';
import { withDeadline } from './rpc.js';
import type { WalletViews } from './wallet-view.js';

/** Monitoring figures of one network and its wallet. */
export interface ChainGauges {
  readonly network: string;
  /** Null before the first answer. */
  readonly head: number | null;
  readonly finalized: number | null;
  readonly lastAnswerAt: Instant | null;
  /** Whether the RPC answered within the last seconds. */
  readonly isUp: boolean;
  /** RPC calls without an answer since the start. */
  readonly outages: number;
  /** Balances less the amounts and gas of signed sends, by asset, as decimal text; empty while unknown. */
  readonly balances: Readonly<Record<string, string>>;
  /** Sends that are queued or not confirmed yet. */
  readonly pendingSends: number;
  /** When the oldest unconfirmed send was first signed; null when there is none. */
  readonly oldestUnconfirmedAt: Instant | null;
}

const FRESH_MS = 5_000;
/** Monitoring must not wait long for an RPC. */
const WAIT_MS = 2_000;

/** Reads the figures of one network. Throws during an outage of the store, but not of the RPC. */
export async function gaugesOf(place: Place, views: WalletViews): Promise<ChainGauges> {
  const { network, rpc, assets, documents, walletId } = place;
  const view = await withDeadline(views.current(FRESH_MS), WAIT_MS).catch(() => null);
  const last = view ?? views.last();
  const stored = await Promise.all([
    documents.all('evm_send', { status: 'queued' }),
    documents.all('evm_send', { status: 'sending' }),
  ]);
  const pending = stored.flat().filter(({ body }) => `${body.chainId}:${body.wallet.toLowerCase()}` === walletId);
  const signedAt = pending.flatMap(({ body }) => (body.attempts[0] === undefined ? [] : [body.attempts[0].at]));
  return {
    network: network.network,
    head: last?.head.number ?? null,
    finalized: last?.finalized ?? null,
    lastAnswerAt: rpc.lastAnswerAt(),
    isUp: view !== null,
    outages: rpc.outages(),
    balances: Object.fromEntries(
      assets.flatMap(({ asset, decimals }) => {
        const units = last?.free.get(asset);
        return units === undefined ? [] : [[asset, formatUnits(units, decimals)]];
      }),
    ),
    pendingSends: pending.length,
    oldestUnconfirmedAt: signedAt.length === 0 ? null : Math.min(...signedAt),
  };
}
