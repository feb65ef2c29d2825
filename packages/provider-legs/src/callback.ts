import { type Instant, type Mode, MODES } from '@gateramp/core/domain';
import type { CallbackReading, ProviderReport, RawCallback } from '@gateramp/core/ports';
import { answerOf } from './answer.js';
import { isRefundOut, refundCameBack, withWithdrawals } from './disputes.js';
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
import { callIdOf, isPast, isRefunding } from './operation.js';
import type { FiatCallback, OutsideMovement } from './ports/legs.js';
import type { LedgerEntry } from './ports/legs-store.js';
import type { Progress } from './progress.js';
import { workOnRefund } from './refund.js';
import { inTime } from './time-limits.js';

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
  const current = await (read.kind === 'changed' ? goOn(context, at, now) : take(context, at, read, now));
  const { outcome, details } = answerOf(current.operation, current.dueAt, now);
  return {
    kind: 'report',
    report: { eventId: read.eventId, operationId: current.operation.operationId, outcome, details },
  };
}

/** What a review needs besides the legs. */
export interface ReviewOptions {
  /** The time of a partner in a mode; the system clock by default. */
  readonly nowOf?: (mode: Mode, partnerId: string) => Instant;
  /** Receives the state of each payment that was read, as a callback would bring it: `gate.intents.report`. */
  readonly report?: ((mode: Mode, report: ProviderReport) => Promise<unknown>) | undefined;
}

/**
 * Reads what happened to a payment from the processor, since its callback may have been lost. Ignores a payment that is not known here.
 * `eventId` identifies what was seen.
 */
export async function reviewPayment(
  context: Drive,
  { authorizationId, eventId }: { readonly authorizationId: string; readonly eventId: string },
  { nowOf = Date.now, report }: ReviewOptions,
): Promise<void> {
  for (const mode of MODES) {
    const at = await operationOfCall(context, mode, authorizationId);
    if (at === null) continue;
    const now = nowOf(mode, at.operation.partnerId);
    const { operation, dueAt } = await goOn(context, at, now);
    const { operationId } = operation;
    const { outcome, details } = answerOf(operation, dueAt, now);
    const reported = report?.(mode, { eventId, operationId, outcome, details });
    if (reported !== undefined) await inTime('report', reported);
  }
}

/** Finds the operation by a call id, which is the operation's id and the step. */
async function operationOfCall({ store }: Drive, mode: Mode, callId: string): Promise<Loaded | null> {
  const end = callId.lastIndexOf('-');
  return end < 0 ? null : loadOperation(store, mode, callId.slice(0, end));
}

async function goOn(context: Drive, at: Loaded, now: Instant): Promise<Loaded> {
  const { state, operationId, mode } = at.operation;
  if (state.kind === 'calling') await drive(context, at, null, now);
  else if (state.kind === 'awaiting') await workOn(context, at, now);
  else if (isRefunding(at.operation)) await workOnRefund(context, at, now);
  const current = (await loadOperation(context.store, mode, operationId)) ?? at;
  const { kind } = current.operation.state;
  const isTaken = kind === 'ended' || kind === 'stuck' || isPast(current.operation, 'capture');
  return isTaken ? review(context, current, now) : current;
}

/** Reads from the processor what happened to a payment that was taken: callbacks do not show everything, and may be lost. */
async function review(context: Drive, at: Loaded, now: Instant): Promise<Loaded> {
  const { operation } = at;
  if (operation.flow !== 'on_ramp' || !(await wasTaken(context, at))) return at;
  const [callId, authorizationId] = [callIdOf(operation, 'capture'), callIdOf(operation, 'authorize')];
  const movements = await context.legs.fiat.movements({ callId, authorizationId, mode: operation.mode, now });
  return (await record(context, at, async (current) => disputed(context, current, movements), now)) ?? at;
}

/** Takes in what a callback reports. When that is known, the callback may still complete a pending call. */
async function take(
  context: Drive,
  at: Loaded,
  read: Exclude<Reading, { kind: 'changed' }>,
  now: Instant,
): Promise<Loaded> {
  const recorded = await record(
    context,
    at,
    async (current) =>
      read.kind === 'refund_failed'
        ? returnedRefund(current, read, await context.store.entries(current.operation.operationId), now)
        : disputed(context, current, [read]),
    now,
  );
  return recorded ?? goOn(context, at, now);
}

/**
 * Records what happened outside; null when nothing is new. It must not be lost: a callback that cannot be recorded fails, so that it is
 * sent again.
 */
async function record(
  context: Drive,
  first: Loaded,
  decide: (at: Loaded) => Promise<Progress | null>,
  now: Instant,
): Promise<Loaded | null> {
  let at = first;
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const progress = await decide(at);
    if (progress === null) return null;
    const committed = await commitProgress(context, at, progress, now);
    if (committed !== null) return drive(context, committed, null, now);
    at = (await loadOperation(context.store, at.operation.mode, at.operation.operationId)) ?? at;
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

/** The progress for outside movements; null without a change. A payment that ended without being captured cannot be taken back. */
async function disputed(context: Drive, at: Loaded, movements: readonly OutsideMovement[]): Promise<Progress | null> {
  const { operation } = at;
  const { state, flow } = operation;
  const marked = flow === 'on_ramp' && (await wasTaken(context, at)) ? withWithdrawals(operation, movements) : null;
  // A driver may be making a call at the moment, so its lease is kept.
  return marked === null
    ? null
    : {
        operation: marked,
        entries: [],
        waitMs: state.kind === 'calling' || state.kind === 'awaiting' ? LEASE_MS : null,
      };
}

/** Whether the payment was captured, or may still be. */
async function wasTaken({ store }: Drive, { operation }: Loaded): Promise<boolean> {
  if (operation.state.kind !== 'ended') return true;
  return (await store.entries(operation.operationId)).some((one) => isCapture(one, operation));
}
