import type { ChainUse } from '@gateramp/provider-legs';

import type { Asset } from './assets.js';
import type { Kinds } from './documents.js';
import type { Place } from './place.js';
import { RpcOutageError } from './rpc.js';
import { dayLeft, dayOf, freeUnits, limitUnits } from './spending.js';
import { loadWallet } from './wallet-document.js';
import { chainProblemOf, type WalletView, type WalletViews } from './wallet-view.js';

/** How long an RPC may be silent before new purchases are stopped. */
const SILENT_MS = 30_000;
/** A view older than this is refreshed before it is used. */
const FRESH_MS = 5_000;

/** The alarm is raised when less than this part of the daily limit is left: buyers then cannot buy more than small amounts. */
const NOTHING_LEFT = 100n;

/** Why the asset cannot be used on the network now; null when it can. An RPC outage does not change any send. */
export async function unavailableBecause(
  place: Place,
  views: WalletViews,
  { asset, as }: ChainUse,
): Promise<string | null> {
  const view = await viewOf(place, views);
  if (typeof view === 'string') return view;
  if (as === 'deposit') return null;
  const served = place.assets.find((one) => one.asset === asset);
  if (served === undefined) return `${asset} is not served on ${place.network.displayName}.`;
  const wallet = await loadWallet(place);
  const problem = sendProblemOf(place, served, { view, wallet });
  if (problem !== null) return problem;
  const left = dayLeft(place, wallet.body, { asset: served, day: await dayOf(place, wallet.body) });
  const limit = limitUnits(place.wallet.maxPerDay, served) ?? 0n;
  const isUsedUp = left !== null && left * NOTHING_LEFT <= limit;
  const fields = { network: place.network.network, wallet: place.address, asset };
  place.alarms.hold(isUsedUp, 'wallet_limit_reached', fields, { cause: 'day' });
  if (left !== null && left <= 0n) return `The daily limit of ${asset} is reached.`;
  const stock = freeUnits(view, wallet.body, asset) - (limitUnits(place.wallet.floor, served) ?? 0n);
  return stock > 0n ? null : `The wallet has no ${asset} left to deliver.`;
}

/** A view of the chain, during a short outage the last one; or why the chain is not followed. */
export async function viewOf(place: Place, views: WalletViews): Promise<WalletView | string> {
  const { network, rpc, now, alarms } = place;
  let view;
  try {
    view = await views.current(FRESH_MS);
  } catch (error) {
    if (!(error instanceof RpcOutageError)) return `The RPC of ${network.network} answers with an error.`;
    const last = rpc.lastAnswerAt();
    const isSilent = last === null || now() - last >= SILENT_MS;
    alarms.hold(isSilent, 'rpc_silent', { network: network.network });
    view = views.last();
    if (isSilent || view === null) return `The RPC of ${network.network} does not answer.`;
  }
  alarms.hold(false, 'rpc_silent', { network: network.network });
  return chainProblemOf(place, view) ?? view;
}

/** Why the asset cannot be sent now, apart from its amount; null when it can. */
export function sendProblemOf(
  { alarms, network, address }: Place,
  { asset }: Asset,
  { view, wallet: { status, body } }: { view: WalletView; wallet: Kinds['evm_wallet'] },
): string | null {
  if (view.problem !== null) return view.problem;
  const isPaused = status === 'paused';
  const reason = body.pausedBecause ?? 'by an operator';
  alarms.hold(isPaused, 'wallet_paused', { network: network.network, wallet: address, reason });
  if (isPaused) return `The wallet is paused: ${body.pausedBecause ?? 'by an operator.'}`;
  return body.stopped?.[asset] ?? view.assetProblems.get(asset) ?? null;
}
