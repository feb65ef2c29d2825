import type { AuditedCommit } from '@gateramp/provider-legs';
import { formatUnits } from 'viem';

import { changedWallet, newWallet } from './dispatch.js';
import type { WalletChange } from './documents.js';
import type { Place } from './place.js';
import type { WalletViews } from './wallet-view.js';

/** The wallet on one network, for operators. */
export interface WalletSummary {
  readonly network: string;
  readonly address: string;
  readonly status: 'active' | 'paused';
  readonly pausedBecause: string | null;
  /** Null before the first send. */
  readonly nextNonce: number | null;
  /** The total of the sends of this UTC day, by asset, as decimal text. */
  readonly spentToday: Readonly<Record<string, string>>;
  /** Every pause and resumption, oldest first. */
  readonly history: readonly WalletChange[];
}

/** The operations on the wallet of one network, for operators. */
export function walletOn(place: Place, views: WalletViews) {
  const { documents, walletId, network, address, rpc, assets, alarms } = place;

  return {
    async summary(): Promise<WalletSummary> {
      const stored = await documents.load('evm_wallet', walletId);
      const today = new Date(place.now()).toISOString().slice(0, 10);
      const spent = stored?.body.day === today ? stored.body.spent : {};
      return {
        network: network.network,
        address,
        status: stored?.status ?? 'active',
        pausedBecause: stored?.body.pausedBecause ?? null,
        history: stored?.body.history ?? [],
        nextNonce: stored?.body.nextNonce ?? null,
        spentToday: Object.fromEntries(
          assets.flatMap(({ asset, decimals }) =>
            spent[asset] === undefined ? [] : [[asset, formatUnits(BigInt(spent[asset]), decimals)]],
          ),
        ),
      };
    },

    /** Stops signing until `resume`. Signed transactions are still followed and broadcast again. Makes no RPC call. */
    async pause(reason: string, audited?: AuditedCommit): Promise<void> {
      for (;;) {
        // A wallet that has sent nothing takes its first nonce from the network at `resume`.
        const wallet = (await documents.load('evm_wallet', walletId)) ?? newWallet(place, 0);
        const next = changedWallet(wallet, { at: place.now(), to: 'paused', by: 'operator', reason });
        if (!(await documents.commitWallet(wallet, next, audited))) continue;
        alarms.hold(true, 'wallet_paused', { network: network.network, wallet: address, reason });
        return;
      }
    },

    /** Resumes signing, after all nonces that are spent or pending on the chain, including those of other signers. */
    async resume(reason: string, audited?: AuditedCommit): Promise<void> {
      for (;;) {
        const wallet = await documents.load('evm_wallet', walletId);
        if (wallet === null || wallet.status === 'active') return;
        const nextNonce = Math.max(wallet.body.nextNonce, await rpc.transactionCount(address, 'pending'));
        const resumed = changedWallet(wallet, { at: place.now(), to: 'active', by: 'operator', reason });
        const next = { ...resumed, body: { ...resumed.body, nextNonce } };
        if (!(await documents.commitWallet(wallet, next, audited))) continue;
        views.forget();
        return;
      }
    },
  };
}
