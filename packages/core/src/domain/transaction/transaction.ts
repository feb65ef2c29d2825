import type { Instant } from '../instant.js';
import type { Failure, PaymentMethod, Stage } from '../intent/intent.js';
import type { JsonText } from '../json.js';
import type { Mode } from '../mode.js';
import { type Decimal, equals, isDecimal } from '../money.js';
import type { Flow } from '../session/terms.js';

/** The status of the money of an intent. */
export type TransactionStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'refunded' | 'charged_back';

/** Every status of a transaction. */
export const TRANSACTION_STATUSES: readonly TransactionStatus[] = [
  'pending',
  'processing',
  'completed',
  'failed',
  'refunded',
  'charged_back',
];

/** What goes in or comes out, as decimal text of one currency. */
export interface Side {
  /** Null until the provider has said. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** Null for fiat. */
  readonly network: string | null;
}

/** One fee; its amount is decimal text. */
export interface Fee {
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
}

/** The status of a stage. */
export const STAGE_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;

/** One stage, and since when it has its status. */
export interface StageRecord {
  readonly type: Stage;
  readonly status: (typeof STAGE_STATUSES)[number];
  readonly failureCode: string | null;
  readonly updatedAt: Instant;
}

/** Every status of a refund: `pending` until the provider has said how it ended. */
export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;

/** The status of a refund. */
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** Money on its way back to the buyer, in the currency of the transaction's source. */
export interface Refund {
  /** The provider is idempotent on it. */
  readonly id: string;
  readonly amount: Decimal;
  readonly status: RefundStatus;
  readonly reason: string | null;
  readonly failure: RefundFailure | null;
  /** The task that calls the provider until the refund has ended. */
  readonly taskId: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Why a refund failed, in the provider's words. */
export interface RefundFailure {
  readonly code: string;
  readonly message: string;
  /** Whether another refund may succeed; absent is no. */
  readonly retryable?: boolean;
}

/** The record of the money of one intent; the partner reconciles with it. */
export interface Transaction {
  readonly refid: string;
  /** Null over rails. */
  readonly sessionId: string | null;
  readonly intentId: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly version: number;
  readonly flow: Flow;
  readonly status: TransactionStatus;
  readonly source: Side;
  readonly destination: Side;
  readonly exchangeRate: string | null;
  readonly fees: readonly Fee[];
  readonly feeTotal: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  readonly walletAddress: string | null;
  readonly txHash: string | null;
  readonly userReference: string | null;
  readonly metadata: JsonText;
  readonly stages: readonly StageRecord[];
  readonly failure: Failure | null;
  readonly settledAfterClose: boolean;
  /** Oldest first; absent in rows that an older version wrote, and while there is none. */
  readonly refunds?: readonly Refund[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly completedAt: Instant | null;
}

/** A side as the provider reports it. Where that is what the partner or buyer has given, it stays as they wrote it. */
export function reportedSide(known: Side, reported: Side): Side {
  return {
    amount: isSameAmount(known.amount, reported.amount) ? known.amount : reported.amount,
    currency: isSameSymbol(known.currency, reported.currency) ? known.currency : reported.currency,
    network: isSameSymbol(known.network, reported.network) ? known.network : reported.network,
  };
}

function isSameAmount(known: string | null, reported: string | null): boolean {
  return known !== null && reported !== null && isDecimal(reported) && equals(known, reported);
}

function isSameSymbol(known: string | null, reported: string | null): boolean {
  return known?.toUpperCase() === reported?.toUpperCase();
}

/** Provider updates may arrive out of order: only a higher rank moves the record. */
export function rank(status: TransactionStatus): number {
  return RANKS[status];
}

const RANKS: Record<TransactionStatus, number> = {
  pending: 0,
  processing: 1,
  failed: 2,
  completed: 3,
  refunded: 4,
  charged_back: 5,
};

/** The stages a transaction of that flow goes through, in their order. */
export function stagesOf(flow: Flow): readonly Stage[] {
  switch (flow) {
    case 'on_ramp':
      return ['kyc', 'screening', 'payment', 'conversion', 'delivery'];
    case 'off_ramp':
      return ['kyc', 'screening', 'deposit', 'conversion', 'payout'];
    case 'swap':
      return ['kyc', 'screening', 'deposit', 'conversion', 'delivery'];
  }
}

/**
 * Stages before `reached` are done; `reached` itself is as given; later ones stay as they are. A late
 * update takes nothing back: a stage that is done does not go back to `processing`, and a failure
 * leaves no stage looking as if it were still running.
 */
export function atStage(
  stages: readonly StageRecord[],
  reached: Stage,
  status: StageRecord['status'],
  failureCode: string | null,
  now: Instant,
): readonly StageRecord[] {
  const index = stages.findIndex((stage) => stage.type === reached);
  return stages.map((stage, at) => {
    const next = at < index ? 'completed' : at === index ? onward(stage.status, status) : left(stage.status, status);
    if (next === stage.status) return stage;
    return { type: stage.type, status: next, failureCode: at === index ? failureCode : null, updatedAt: now };
  });
}

type StageStatus = StageRecord['status'];

function onward(from: StageStatus, to: StageStatus): StageStatus {
  return from === 'completed' && to === 'processing' ? from : to;
}

function left(from: StageStatus, reached: StageStatus): StageStatus {
  return from === 'processing' && reached === 'failed' ? 'pending' : from;
}

/** The current stage of a transaction: the first that is not done, or the last. */
export function presentStage(stages: readonly StageRecord[]): Stage | null {
  return (stages.find((stage) => stage.status !== 'completed') ?? stages.at(-1))?.type ?? null;
}
