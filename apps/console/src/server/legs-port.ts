import type { Mode } from '@gateramp/core';
import type { Gate } from './gate.js';

type RecordWith = Gate['admin']['audit']['recordWith'];
/** Commits a change together with the given audit entry. */
type Commit = Parameters<RecordWith>[1];

/** Records an operator's change of provider legs in the audit trail, in the same commit. */
export type Audited = (
  rows: { readonly before: object | null; readonly after: object },
  commit: Commit,
) => Promise<'committed' | 'stale'>;

/** A wallet from which the legs send, on one network. Amounts are decimal texts by asset. */
export interface LegWallet {
  readonly network: string;
  readonly address: string;
  readonly status: 'active' | 'paused';
  readonly pausedBecause: string | null;
  readonly nextNonce: number | null;
  /** Net of the amounts and gas of signed sends. Empty while the network does not answer. */
  readonly balances: Readonly<Record<string, string>>;
  readonly isAnswering: boolean;
  readonly pendingSends: number;
  readonly spentToday: Readonly<Record<string, string>>;
  readonly maxPerSend: Readonly<Record<string, string>>;
  readonly maxPerDay: Readonly<Record<string, string>>;
  /** Oldest first. */
  readonly history: readonly {
    readonly at: number;
    readonly to: 'active' | 'paused';
    readonly by: string;
    readonly reason: string;
  }[];
}

interface MoneyOf {
  readonly amount: string;
  readonly currency: string;
}

/** An operation of the legs. */
export interface LegOperation {
  readonly id: string;
  readonly mode: Mode;
  readonly partnerId: string;
  readonly flow: string;
  /** `running`, `awaiting`, `stuck`, or how it ended. */
  readonly status: string;
  readonly step: string | null;
  /** The calls of its flow, in order. */
  readonly steps: readonly string[];
  readonly reason: string | null;
  readonly source: MoneyOf | null;
  readonly destination: MoneyOf | null;
  readonly resolution: { readonly as: Ending; readonly reason: string; readonly at: number } | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type Ending = 'delivered' | 'refunded' | 'failed';

interface PostingOf extends MoneyOf {
  readonly account: string;
}

/** An operation with the debt to its buyer and its ledger, oldest entry first. */
export interface LegOperationView extends LegOperation {
  readonly owed: readonly MoneyOf[];
  readonly entries: readonly { readonly id: string; readonly at: number; readonly postings: readonly PostingOf[] }[];
}

/**
 * What a resolution booked or would book. `not_stuck`: the operation is not stuck; `known`: it was already resolved in this way.
 */
export type LegResolution =
  | { readonly kind: 'resolved'; readonly postings: readonly PostingOf[] }
  | { readonly kind: 'known' | 'not_stuck' | 'not_found' };

/** The provider legs of the host, for operators. */
export interface ConsoleLegs {
  wallets(): Promise<readonly LegWallet[]>;
  pauseWallet(network: string, reason: string, audited: Audited): Promise<void>;
  /** `unreachable`: the network did not answer with the next nonce, so the wallet is still paused. */
  resumeWallet(network: string, reason: string, audited: Audited): Promise<'resumed' | 'unreachable'>;
  /** By id, after `after`. */
  listOperations(query: {
    readonly mode: Mode;
    readonly isStuck: boolean;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly LegOperation[]>;
  findOperation(id: string): Promise<LegOperationView | null>;
  /** Records how a stuck operation ended. Moves no money. Without `audited`, only returns what would be booked. */
  resolveOperation(order: {
    readonly id: string;
    readonly as: Ending;
    readonly reason: string;
    readonly audited: Audited | null;
  }): Promise<LegResolution>;
}
