import type { Instant } from '../instant.js';
import { type Failure, type PaymentMethod, type Stage, STAGES } from '../intent/intent.js';
import type { JsonText } from '../json.js';
import type { Mode } from '../mode.js';
import { type Decimal, equals, isDecimal } from '../money.js';
import { isWebUrl } from '../origin/origin.js';
import type { Flow } from '../session/terms.js';

/** The status of an intent's money. */
export type TransactionStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'refunded' | 'charged_back';

/** All transaction statuses. */
export const TRANSACTION_STATUSES: readonly TransactionStatus[] = [
  'pending',
  'processing',
  'completed',
  'failed',
  'refunded',
  'charged_back',
];

/** The source or the destination of a transaction; the amount is a decimal string. */
export interface Side {
  /** Null until the provider reports it. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** Null for fiat. */
  readonly network: string | null;
}

/** One fee; the amount is a decimal string. */
export interface Fee {
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
}

/** Depth of the on-chain transaction's block, and the required depth. The block itself counts as 1. */
export interface Confirmations {
  readonly seen: number;
  readonly required: number;
}

/** All stage statuses. */
export const STAGE_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;

/** One stage, and when it last changed. */
export interface StageRecord {
  readonly type: Stage;
  readonly status: (typeof STAGE_STATUSES)[number];
  readonly failureCode: string | null;
  readonly updatedAt: Instant;
}

/** All refund statuses; `pending` until the provider reports the result. */
export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;

/** The status of a refund. */
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** A refund to the buyer, in the currency of the transaction's source. */
export interface Refund {
  /** The provider's idempotency key. */
  readonly id: string;
  readonly amount: Decimal;
  readonly status: RefundStatus;
  /** When it became known that the buyer's bank sent a succeeded refund back; null or absent if it did not. */
  readonly returnedAt?: Instant | null;
  readonly reason: string | null;
  readonly failure: RefundFailure | null;
  /** The task that calls the provider until the refund has ended; null for one that was not requested here. */
  readonly taskId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A refund that was not requested here, as a provider reports it, in the currency of the transaction's source. */
export interface ReportedRefund {
  /** The same in all reports about one refund. */
  readonly id: string;
  readonly amount: Decimal;
}

/** Why a refund failed, as reported by the provider. */
export interface RefundFailure {
  readonly code: string;
  readonly message: string;
  /** Whether another refund may succeed; absent means no. */
  readonly retryable?: boolean;
}

/** All dispute statuses, in order: the bank has taken the money, it keeps the money, or it has given the money back. */
export const DISPUTE_STATUSES = ['open', 'lost', 'won'] as const;

/** A chargeback as a provider reports it, in the currency of the transaction's source. */
export interface ReportedDispute {
  /** The same in all reports about one dispute. */
  readonly id: string;
  readonly amount: Decimal;
  readonly status: (typeof DISPUTE_STATUSES)[number];
}

/** A chargeback of all or a part of the payment. */
export interface Dispute extends ReportedDispute {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The record of an intent's money, used by the partner for reconciliation. */
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
  /** URL of the on-chain transaction in a block explorer. */
  readonly txUrl: string | null;
  /** Null before anything is sent, and if the provider does not count confirmations. */
  readonly confirmations: Confirmations | null;
  readonly userReference: string | null;
  readonly metadata: JsonText;
  readonly stages: readonly StageRecord[];
  readonly failure: Failure | null;
  readonly settledAfterClose: boolean;
  /** Oldest first; absent if there are none, and in rows of older versions. */
  readonly refunds?: readonly Refund[];
  /** Oldest first; absent if there are none, and in rows of older versions. */
  readonly disputes?: readonly Dispute[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly completedAt: Instant | null;
}

/** Merges a side that the provider reports. Values equal to the known ones keep the spelling of the partner or buyer. */
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

/** The known facts of the on-chain transaction. */
export type OnChain = Pick<Transaction, 'txHash' | 'txUrl' | 'confirmations'>;

/** A provider's report of the on-chain transaction; unknown members are absent. */
export type ReportedOnChain = Pick<OnChain, 'txHash'> & Partial<OnChain>;

/**
 * Merges a provider's report of the on-chain transaction. Updates may arrive late, so confirmations of one hash never decrease; a different
 * hash is a different transaction and starts over. Links other than http or https are dropped.
 */
export function reportedOnChain(known: OnChain, reported: ReportedOnChain): OnChain {
  const txUrl = reported.txUrl ?? null;
  const isOther = reported.txHash !== null && known.txHash !== null && reported.txHash !== known.txHash;
  const before = isOther ? NOTHING_ON_CHAIN : known;
  return {
    txHash: reported.txHash ?? before.txHash,
    txUrl: txUrl !== null && isWebUrl(txUrl) ? txUrl : before.txUrl,
    confirmations: furthest(before.confirmations, reported.confirmations ?? null),
  };
}

/** Nothing was sent yet. */
export const NOTHING_ON_CHAIN: OnChain = { txHash: null, txUrl: null, confirmations: null };

function furthest(known: Confirmations | null, reported: Confirmations | null): Confirmations | null {
  if (reported === null || !isCount(reported.seen) || !isCount(reported.required)) return known;
  const { required } = reported;
  return { seen: Math.min(Math.max(reported.seen, known?.seen ?? 0), required), required };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Provider updates may arrive out of order: only a higher rank changes the record. */
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

/** The stages that a transaction of the flow goes through, in order. */
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
 * Sets the status of `reached`, and completes the stages before it; later stages keep their status. Late updates undo nothing: a completed
 * stage does not return to `processing`, and a failure leaves no other stage processing. `return` can start at any stage, so it completes
 * none before it.
 */
export function atStage(
  stages: readonly StageRecord[],
  reached: Stage,
  status: StageRecord['status'],
  failureCode: string | null,
  now: Instant,
): readonly StageRecord[] {
  const all = withStage(stages, reached, now);
  const index = all.findIndex((stage) => stage.type === reached);
  return all.map((stage, at) => {
    const before = reached === 'return' ? left(stage.status, 'failed') : 'completed';
    const next = at < index ? before : at === index ? onward(stage.status, status) : left(stage.status, status);
    if (next === stage.status) return stage;
    return { type: stage.type, status: next, failureCode: at === index ? failureCode : null, updatedAt: now };
  });
}

/** Adds a stage that only some providers report, at its place in the order. */
export function withStage(stages: readonly StageRecord[], type: Stage, now: Instant): readonly StageRecord[] {
  if (!REPORTED_STAGES.has(type) || stages.some((stage) => stage.type === type)) return stages;
  const record: StageRecord = { type, status: 'pending', failureCode: null, updatedAt: now };
  const at = stages.findIndex((stage) => STAGES.indexOf(stage.type) > STAGES.indexOf(type));
  return at === -1 ? [...stages, record] : stages.toSpliced(at, 0, record);
}

const REPORTED_STAGES: ReadonlySet<Stage> = new Set(['authorization', 'capture', 'send', 'deposit_over', 'return']);

type StageStatus = StageRecord['status'];

function onward(from: StageStatus, to: StageStatus): StageStatus {
  return from === 'completed' && to === 'processing' ? from : to;
}

/** Completes a running `return` stage: providers report a payment's end only after its money was returned. */
export function withReturned(stages: readonly StageRecord[], now: Instant): readonly StageRecord[] {
  return stages.map((stage) =>
    stage.type === 'return' && stage.status === 'processing'
      ? { type: stage.type, status: 'completed', failureCode: null, updatedAt: now }
      : stage,
  );
}

function left(from: StageStatus, reached: StageStatus): StageStatus {
  return from === 'processing' && reached === 'failed' ? 'pending' : from;
}

/** The current stage: the first that is not completed, or the last. */
export function presentStage(stages: readonly StageRecord[]): Stage | null {
  return (stages.find((stage) => stage.status !== 'completed') ?? stages.at(-1))?.type ?? null;
}
