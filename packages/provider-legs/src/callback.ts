import type { Mode } from '@gateramp/core/domain';
import type { CallbackReading, RawCallback } from '@gateramp/core/ports';
import { answerOf } from './answer.js';
import { commit, drive, loadOperation, workOn, type Drive, type Loaded } from './drive.js';
import { loss } from './ledger.js';

/** Reads a callback of the fiat leg. It is only a reason to look at the operation again: the leg's own answer is what counts. */
export async function readLegCallback(context: Drive, callback: RawCallback): Promise<CallbackReading> {
  const read = await context.legs.fiat.parseCallback(callback);
  if (read.kind === 'unauthenticated' || read.kind === 'malformed') return read;
  if (read.kind === 'ignored') return { kind: 'malformed', message: 'This event is of no operation here.' };
  const { mode, now } = callback;
  const callId = read.kind === 'changed' ? read.callId : read.authorizationId;
  const at = await operationOfCall(context, mode, callId);
  if (at === null) return { kind: 'malformed', message: 'This event is of no operation here.' };
  const current = read.kind === 'changed' ? await goOn(context, at, now) : await chargeBack(context, at, now);
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

/** The buyer's bank took the money back. What was delivered is lost; what was not is no longer owed. */
async function chargeBack({ store }: Drive, at: Loaded, now: number): Promise<Loaded> {
  const { operation } = at;
  const { state, price } = operation;
  if (price === null || state.kind !== 'ended' || state.as !== 'succeeded') return at;
  const { amount, currency } = price.source;
  const next = { ...operation, state: { kind: 'ended', as: 'charged_back' } as const, updatedAt: now };
  return (await commit(store, at, next, [loss(operation, 'chargeback', amount, currency, now)], null)) ?? at;
}
