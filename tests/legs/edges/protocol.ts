import type { RawCallback, StartOrder } from '@gateramp/core/ports';

/** Where the legs keep their documents and the ledger. */
export type StorePlace =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** The start of one process. */
export interface Open {
  readonly kind: 'open';
  readonly now: number;
  readonly store: StorePlace;
  readonly rpcUrl: string;
  readonly reconcileUrl: string;
  readonly stripePort: number;
  readonly token: `0x${string}`;
  readonly walletKey: `0x${string}`;
  readonly xpub: string;
}

/** One second of the platform: what buyers and the processor send, then a round of all background work. */
export interface Tick {
  readonly kind: 'tick';
  readonly now: number;
  readonly orders: readonly StartOrder[];
  readonly callbacks: readonly { readonly id: string; readonly callback: RawCallback }[];
  /** Operations to cancel, since their buyers have left. */
  readonly cancel: readonly string[];
  /** Resumes the wallet, as an operator does after a pause. */
  readonly resumesWallet: boolean;
}

export type ToProcess = Open | Tick;

/** A deposit address that was shown to a buyer. */
export interface AskedDeposit {
  readonly operationId: string;
  readonly address: `0x${string}`;
  readonly amount: string;
}

export type FromProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'alarm'; readonly name: string; readonly fields: Readonly<Record<string, string | number>> }
  | { readonly kind: 'started'; readonly operationId: string }
  | { readonly kind: 'deposit'; readonly asked: AskedDeposit }
  | { readonly kind: 'recorded'; readonly id: string }
  | { readonly kind: 'done' };
