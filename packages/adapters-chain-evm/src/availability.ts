import type { ChainUse } from '@gateramp/provider-legs';

import { dayLimitReached } from './dispatch.js';
import type { Place } from './place.js';
import { RpcOutageError } from './rpc.js';
import type { WalletViews } from './wallet-view.js';

/** How long an RPC may be silent before new purchases are stopped. */
const SILENT_MS = 30_000;
/** A view older than this is refreshed before it is used. */
const FRESH_MS = 5_000;

/** Why the asset cannot be used on the network now; null when it can. An RPC outage does not change any send. */
export async function unavailableBecause(
  place: Place,
  views: WalletViews,
  { asset, as }: ChainUse,
): Promise<string | null> {
  const { network, rpc, documents, walletId, now, alarms } = place;
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
  if (as === 'deposit') return view.chainProblem;
  if (view.problem !== null) return view.problem;
  const wallet = await documents.load('evm_wallet', walletId);
  const isPaused = wallet?.status === 'paused';
  const reason = wallet?.body.pausedBecause ?? 'by an operator';
  alarms.hold(isPaused, 'wallet_paused', { network: network.network, wallet: place.address, reason });
  if (isPaused) return `The wallet is paused: ${wallet.body.pausedBecause ?? 'by an operator.'}`;
  for (const served of place.assets) {
    if (served.asset !== asset) continue;
    const problem = view.assetProblems.get(served.asset);
    if (problem !== undefined) return problem;
    if (wallet !== null && dayLimitReached(place, wallet.body, served))
      return `The daily limit of ${served.asset} is reached.`;
  }
  return null;
}
