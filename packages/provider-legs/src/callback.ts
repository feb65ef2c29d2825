import type { Instant, Mode } from '@gateramp/core/domain';
import type { CallbackReading, RawCallback } from '@gateramp/core/ports';
import { answerOf } from './answer.js';
import { type DisputeReading, isRefundOut, refundCameBack, withDispute } from './disputes.js';
import {
  commitProgress,
  drive,
  LEASE_MS,
  loadOperation,
  workOn,
  WRITES_MAX,
  type Drive,
  type Loaded,
} from './drive.js';
import { isCapture } from './ledger.js';
import { isRefunding, type Operation } from './operation.js';
import type { FiatCallback } from './ports/legs.js';
import type { LedgerEntry } from './ports/legs-store.js';
import type { Progress } from './progress.js';
import { workOnRefund } from './refund.js';

type Reading = Extract<FiatCallback, { eventId: string }>;

/**
 * Reads a callback of the fiat leg. A `changed` callback is only a reason to call the leg again: the leg's response counts. Actions of
 * the buyer's bank are reported by callbacks alone, so these are recorded.
 */
export async function readLegCallback(context: Drive, callback: RawCallback): Promise<CallbackReading> {
  const read = await context.legs.fiat.parseCallback(callback);
  if (!('eventId' in read)) return read;
  const { mode } = callback;
  const at = await operationOfCall(context, mode, read.kind === 'changed' ? read.callId : read.authorizationId);
  // Other systems may use the same account at the processor.
  if (at === null) return { kind: 'ignored' };
  const now = callback.nowOf?.(at.operation.partnerId) ?? callback.modeNow;
  const current = await (read.kind === 'changed' ? goOn(context, at, now) : record(context, at, read, now));
  const { outcome, details } = answerOf(current.operation, current.dueAt, now);
  return {
    kind: 'report',
    report: { eventId: read.eventId, operationId: current.operation.operationId, outcome, details },
  };
}

/** Finds the operation by a call id, which is the operation's id and the step. */
async function operationOfCall({ store }: Drive, mode: Mode, callId: string): Promise<Loaded | null> {
  const end = callId.lastIndexOf('-');
  return end < 0 ? null : loadOperation(store, mode, callId.slice(0, end));
}

async function goOn(context: Drive, at: Loaded, now: Instant): Promise<Loaded> {
  const { state, operationId, mode } = at.operation;
  if (state.kind === 'calling') return drive(context, at, null, now);
  if (state.kind === 'awaiting') await workOn(context, at, now);
  else if (isRefunding(at.operation)) await workOnRefund(context, at, now);
  return (await loadOperation(context.store, mode, operationId)) ?? at;
}

/** Records an action of the buyer's bank. It must not be lost: a callback that cannot be recorded fails, so that it is sent again. */
async function record(
  context: Drive,
  first: Loaded,
  read: Exclude<Reading, { kind: 'changed' }>,
  now: Instant,
): Promise<Loaded> {
  const { store } = context;
  let at = first;
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const { operationId, mode } = at.operation;
    const entries = await store.entries(operationId);
    const progress =
      read.kind === 'refund_failed' ? returnedRefund(at, read, entries, now) : disputed(at, read, entries);
    // Nothing new to record, but the callback may complete a pending call.
    if (progress === null) return goOn(context, at, now);
    const committed = await commitProgress(context, at, progress, now);
    if (committed !== null) {
      const isKnown = read.kind === 'charged_back' && at.operation.disputes.some(({ id }) => id === read.disputeId);
      if (read.kind === 'charged_back' && !isKnown) raiseChargeback(context, at.operation, read);
      return drive(context, committed, null, now);
    }
    at = (await loadOperation(store, mode, operationId)) ?? at;
  }
  throw new Error('Too many writers are changing this operation; try again.');
}

/** The progress for a returned refund; null for one that is not booked as made, which is followed like any pending refund. */
function returnedRefund(
  { operation }: Loaded,
  { refundId }: Extract<Reading, { kind: 'refund_failed' }>,
  entries: readonly LedgerEntry[],
  now: Instant,
): Progress | null {
  return isRefundOut(operation, refundId, entries) ? refundCameBack(operation, refundId, now) : null;
}

/** The progress for a dispute; null without a change. A payment that ended without being captured cannot be disputed. */
function disputed({ operation }: Loaded, read: DisputeReading, entries: readonly LedgerEntry[]): Progress | null {
  const { state, flow } = operation;
  const wasTaken = state.kind !== 'ended' || entries.some((one) => isCapture(one, operation));
  const marked = flow === 'on_ramp' && wasTaken ? withDispute(operation, read) : null;
  // A driver may be making a call at the moment, so its lease is kept.
  return marked === null
    ? null
    : {
        operation: marked,
        entries: [],
        waitMs: state.kind === 'calling' || state.kind === 'awaiting' ? LEASE_MS : null,
      };
}

function raiseChargeback(
  { alarm }: Drive,
  { operationId, mode, state, price }: Operation,
  { disputeId, amount }: DisputeReading,
): void {
  alarm('payment_charged_back', {
    operation_id: operationId,
    mode,
    was: state.kind,
    dispute_id: disputeId,
    amount,
    currency: price?.source.currency ?? '',
  });
}
