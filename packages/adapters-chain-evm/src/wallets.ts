import type { AuditedCommit } from '@gateramp/provider-legs';
import { formatUnits } from 'viem';

import type { Kinds, WalletChange } from './documents.js';
import type { Place } from './place.js';
import { dayOf, spentOn } from './spending.js';
import { changedWallet, newWallet } from './wallet-document.js';
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
export function walletOn(place: Place, { views, explain }: { views: WalletViews; explain: () => Promise<void> }) {
  const { documents, walletId, network, address, assets, alarms } = place;

  return {
    async summary(): Promise<WalletSummary> {
      const stored = await documents.load('evm_wallet', walletId);
      const today = stored === null ? '' : await dayOf(place, stored.body);
      return {
        network: network.network,
        address,
        status: stored?.status ?? 'active',
        pausedBecause: stored?.body.pausedBecause ?? null,
        history: stored?.body.history ?? [],
        nextNonce: stored?.body.nextNonce ?? null,
        spentToday: Object.fromEntries(
          assets.flatMap(({ asset, decimals }) => {
            const spent = stored === null ? 0n : spentOn(today, stored.body, asset);
            return spent === 0n ? [] : [[asset, formatUnits(spent, decimals)]];
          }),
        ),
      };
    },

    /** Stops signing until `resume`. Signed transactions are still followed and broadcast again. Makes no RPC call. */
    async pause(reason: string, audited?: AuditedCommit): Promise<void> {
      for (;;) {
        // A wallet that has sent nothing takes its first nonce from the network at `resume`.
        const wallet = (await documents.load('evm_wallet', walletId)) ?? unread(newWallet(place, 0));
        const next = changedWallet(wallet, { at: place.now(), to: 'paused', by: 'operator', reason });
        if (!(await documents.commitWallet(wallet, next, audited))) continue;
        alarms.hold(true, 'wallet_paused', { network: network.network, wallet: address, reason });
        return;
      }
    },

    /**
     * Resumes signing, also of tokens that were stopped. Every transaction of the wallet that this database does not know is
     * recorded first, so that a send which it paid is not paid again. Throws while the node does not show them all.
     */
    async resume(reason: string, audited?: AuditedCommit): Promise<void> {
      for (;;) {
        const before = await documents.load('evm_wallet', walletId);
        if (before === null || (before.status === 'active' && before.body.stopped === undefined)) return;
        await explain();
        const wallet = (await documents.load('evm_wallet', walletId)) ?? before;
        const resumed = changedWallet(wallet, { at: place.now(), to: 'active', by: 'operator', reason });
        const { stopped: _, ...body } = resumed.body;
        if (!(await documents.commitWallet(wallet, { ...resumed, body }, audited))) continue;
        views.forget();
        return;
      }
    },
  };
}

const unread = (wallet: Kinds['evm_wallet']) => ({ ...wallet, body: { ...wallet.body, isUnread: true } });
