import type { Instant, Mode } from '@gateramp/core/domain';
import type { CallbackReading, RawCallback } from '@gateramp/core/ports';
import { answerOf } from './answer.js';
import { commit, drive, LEASE_MS, loadOperation, workOn, WRITES_MAX, type Drive, type Loaded } from './drive.js';
import { chargebackLoss, isCapture } from './ledger.js';
import type { Operation } from './operation.js';
import { endChargedBack, type Progress } from './progress.js';

/** Reads a callback of the fiat leg. It is only a reason to look at the operation again: the leg's own answer is what counts. */
export async function readLegCallback(context: Drive, callback: RawCallback): Promise<CallbackReading> {
  const read = await context.legs.fiat.parseCallback(callback);
  if (read.kind !== 'changed' && read.kind !== 'charged_back') return read;
  const { mode, modeNow: now } = callback;
  const callId = read.kind === 'changed' ? read.callId : read.authorizationId;
  const at = await operationOfCall(context, mode, callId);
  // The account of the processor may serve other systems too.
  if (at === null) return { kind: 'ignored' };
  const current = read.kind === 'changed' ? await goOn(context, at, now) : await applyChargeback(context, at, now);
  const { outcome, details } = answerOf(current.operation, current.dueAt, now);
  return {
    kind: 'report',
    report: { eventId: read.eventId, operationId: current.operation.operationId, outcome, details },
  };
}

/** Call ids are the operation's id and the step. */
async function operationOfCall({ store }: Drive, mode: Mode, callId: string): Promise<Loaded | null> {
  const end = callId.lastIndexOf('-');
  return end < 0 ? null : loadOperation(store, mode, callId.slice(0, end));
}

async function goOn(context: Drive, at: Loaded, now: number): Promise<Loaded> {
  const { state, operationId, mode } = at.operation;
  if (state.kind === 'calling') return drive(context, at, null, now);
  if (state.kind === 'awaiting') await workOn(context, at, now);
  return (await loadOperation(context.store, mode, operationId)) ?? at;
}

/** The buyer's bank took the payment back. It must not be lost: a callback that cannot record it fails, and is sent again. */
async function applyChargeback(context: Drive, first: Loaded, now: Instant): Promise<Loaded> {
  const { store } = context;
  let at = first;
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const { operationId, mode } = at.operation;
    const wasCaptured = (await store.entries(operationId)).some((entry) => isCapture(entry, at.operation));
    const progress = chargebackProgress(at.operation, wasCaptured, now);
    if (progress === null) return at;
    const dueAt = progress.waitMs === null ? at.dueAt : now + progress.waitMs;
    const committed = await commit(store, at, progress.operation, progress.entries, dueAt);
    if (committed !== null) {
      const pendingRefunds = at.operation.refunds.filter(({ status }) => status === 'pending').length;
      const { kind } = at.operation.state;
      context.alarm('payment_charged_back', {
        operation_id: operationId,
        mode,
        was: kind,
        pending_refunds: pendingRefunds,
      });
      return drive(context, committed, null, now);
    }
    at = (await loadOperation(store, mode, operationId)) ?? at;
  }
  throw new Error('Too many writers are changing this operation; try again.');
}

/**
 * What a chargeback means for the operation; null when it is known already, or nothing was taken. One under way learns of it, and
 * ends when the result of its present call is known.
 */
function chargebackProgress(operation: Operation, wasCaptured: boolean, now: Instant): Progress | null {
  const { state, price } = operation;
  if (price === null || operation.isChargedBack) return null;
  const marked = { ...operation, isChargedBack: true, updatedAt: now };
  switch (state.kind) {
    case 'calling':
      return { operation: marked, entries: [], waitMs: LEASE_MS };
    case 'awaiting':
      return { operation: marked, entries: [], waitMs: null };
    case 'stuck':
      return endChargedBack(operation, price, now);
    case 'ended':
      if (state.as === 'succeeded') return endChargedBack(operation, price, now);
      return wasCaptured ? { operation: marked, entries: [chargebackLoss(operation, price, now)], waitMs: null } : null;
  }
}
