import type { Kinds, WalletBody, WalletChange } from './documents.js';
import type { Place } from './place.js';

type WalletDoc = Kinds['evm_wallet'];

/** A new wallet, not stored yet. */
export function newWallet({ walletId, network, address }: Place, nextNonce: number): WalletDoc {
  const body: WalletBody = {
    network: network.network,
    address,
    nextNonce,
    day: '',
    spent: {},
    pausedBecause: null,
    history: [],
  };
  return { id: walletId, version: 0, status: 'active', dueAt: null, body };
}

/** Loads the wallet, which every view of the chain stores. */
export async function loadWallet({ documents, walletId }: Place): Promise<WalletDoc> {
  const stored = await documents.load('evm_wallet', walletId);
  if (stored === null) throw new Error(`Wallet ${walletId} is not stored.`);
  return stored;
}

/** The wallet after a pause or a resumption, with the change in its history. */
export function changedWallet(wallet: WalletDoc, change: WalletChange): WalletDoc {
  const { to: status, reason } = change;
  const history = [...wallet.body.history, change];
  const pausedBecause = status === 'paused' ? reason : null;
  return { ...wallet, status, body: { ...wallet.body, pausedBecause, history } };
}

/** The wallet as the leg pauses it by itself. */
export const pausedByLeg = (wallet: WalletDoc, { now }: Place, reason: string): WalletDoc =>
  changedWallet(wallet, { at: now(), to: 'paused', by: 'leg', reason });
