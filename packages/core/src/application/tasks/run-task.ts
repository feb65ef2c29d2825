import { HOLD_ALARM_AFTER, raiseAlarmIfDue } from '../sessions/close-session.js';
import { MINUTE, SECOND } from '../../domain/instant.js';
import { isLive } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import {
  CLAIMS_MAX,
  finishTask,
  parkTask,
  postponeTask,
  retryTask,
  type Task,
  TASK_LEASE,
  type TaskKind,
  taskFields,
} from '../../domain/task.js';
import { emptyChange } from '../../ports/change.js';
import { type SpanStart, type TraceContext, traceContextOf } from '../../ports/edge.js';
import { apply } from '../commit/apply.js';
import type { Engine, RunTask } from '../engine.js';
import { errorName, inSpan } from '../tracing.js';
import { commitOutcome, updateOf } from '../intents/commit-outcome.js';
import { findPayment, lapseIfDue, loadPurchase } from '../intents/read-intents.js';
import { recoverStep } from '../intents/recover-step.js';
import { providerNamed } from '../providers/route-provider.js';
import { continueRefund } from '../transactions/continue-refund.js';
import { checkQuota } from './check-quota.js';
import { finishing } from './finishing.js';

/**
 * Runs a leased task to its end, or reschedules it. Every kind is safe to run again from the start: after a crash the lease expires and the
 * task is claimed again.
 */
export async function runTask(engine: Engine, task: Task): Promise<void> {
  const parent = engine.trace === null ? null : traceContextOf(task.traceparent, task.tracestate);
  if (parent === null) return void (await runOrRetry(engine, task));
  await inSpan(
    engine,
    spanOf(task, parent),
    (within) => runOrRetry(within, task),
    (errorType) => ({ attributes: {}, errorType }),
  );
}

/** Continues the trace of the request that left the task. */
function spanOf({ id, kind, partnerId, mode, claims, failures }: Task, parent: TraceContext): SpanStart {
  return {
    name: `run ${kind}`,
    kind: 'internal',
    parent,
    attributes: {
      'gateramp.task.id': id,
      'gateramp.task.kind': kind,
      'gateramp.task.claims': claims,
      'gateramp.task.failures': failures,
      'gateramp.partner.id': partnerId,
      'gateramp.mode': mode,
    },
  };
}

/** Returns the name of the error if the task failed and is rescheduled. */
async function runOrRetry(engine: Engine, task: Task): Promise<string | null> {
  if (task.claims > CLAIMS_MAX) {
    await finish(engine, task, parkTask(task));
    engine.telemetry.alarm('task_parked', taskFields(task));
    return null;
  }
  try {
    const waited = await engine.deadlines.within(run(engine, task), TASK_LEASE);
    if (waited.kind === 'late') throw new Error(`The task took longer than ${TASK_LEASE / SECOND} s, its lease.`);
    return null;
  } catch (error) {
    engine.telemetry.failure(error, taskFields(task));
    const now = engine.clock.now(task);
    raiseAlarmIfDue(engine, task, now);
    await finish(engine, task, retryTask(task, now));
    return errorName(error);
  }
}

/** A task of an extension that this process lacks waits for a process that has it. */
function run(engine: Engine, task: Task): Promise<void> {
  const runs = (ENGINE_TASKS as Engine['tasks'])[task.kind] ?? engine.tasks[task.kind];
  if (runs === undefined) throw new Error(`No extension of this process runs tasks of the kind ${task.kind}.`);
  return runs(engine, task);
}

async function check(engine: Engine, task: Task): Promise<void> {
  const { intent } = await loadPurchase(engine, scopeOf(task), task.subjectId);
  const answer = await providerNamed(engine, intent.provider).lookup(orderOf(engine, task, intent.operationId));
  if (answer === null) throw new Error('The provider does not know an operation it has accepted.');
  await commitOutcome(engine, updateOf(intent, answer, task));
}

/** A cancellation that comes too late yields an outcome like any other: money that moved is recorded, and followed until it settles. */
async function cancelAtProvider(engine: Engine, task: Task): Promise<void> {
  const { intent } = await loadPurchase(engine, scopeOf(task), task.subjectId);
  const answer = await providerNamed(engine, intent.provider).cancel(orderOf(engine, task, intent.operationId));
  await commitOutcome(engine, updateOf(intent, answer, task));
}

async function lapseIntent(engine: Engine, task: Task): Promise<void> {
  const { intent } = await loadPurchase(engine, scopeOf(task), task.subjectId);
  if (intent.stepTaskId !== null) {
    // A confirmation is pending; either its outcome decides, or the action expires right after it.
    return finish(engine, task, postponeTask(task, engine.clock.now(task) + MINUTE));
  }
  const now = engine.clock.now(task);
  // Claimed early by a return to a checkpoint that did not complete.
  if (isLive(intent) && intent.expiresAt !== null && now <= intent.expiresAt)
    return finish(engine, task, postponeTask(task, intent.expiresAt + 1));
  await lapseIfDue(engine, intent);
  return finish(engine, task, finishTask(task));
}

async function raiseHoldAlarm(engine: Engine, task: Task): Promise<void> {
  const { subjectId, mode, partnerId } = task;
  const session = await engine.store.find('session', scopeOf(task), subjectId);
  // A payment over rails has the same id as its intent.
  const intent = session === null ? await engine.store.find('intent', scopeOf(task), subjectId) : null;
  const since = (session ?? (intent === null ? null : await findPayment(engine, intent)))?.heldSince ?? null;
  // A new hold by a later intent has its own alarm, so only holds that have lasted a day count.
  const isLong = since !== null && engine.clock.now(task) - since >= HOLD_ALARM_AFTER;
  if (isLong && session !== null)
    engine.telemetry.alarm('session_held_too_long', { partner_id: partnerId, mode, session_id: subjectId });
  if (isLong && session === null)
    engine.telemetry.alarm('payment_held_too_long', { partner_id: partnerId, mode, intent_id: subjectId });
  return finish(engine, task, finishTask(task));
}

async function checkQuotaOnce(engine: Engine, task: Task): Promise<void> {
  await checkQuota(engine, task);
  return finish(engine, task, finishTask(task));
}

/** What runs the tasks of the engine. */
export const ENGINE_TASKS: Readonly<Record<TaskKind, RunTask>> = {
  provider_start: recoverStep,
  provider_confirm: recoverStep,
  provider_check: check,
  provider_refund: continueRefund,
  provider_cancel: cancelAtProvider,
  intent_expiry: lapseIntent,
  hold_alarm: raiseHoldAlarm,
  quota_check: checkQuotaOnce,
};

function orderOf(engine: Engine, task: Task, operationId: string) {
  return { operationId, mode: task.mode, now: engine.clock.now(task) };
}

/** Writes the task's next state, unless the lease was lost to another worker. */
async function finish(engine: Engine, task: Task, next: Task): Promise<void> {
  const change = { ...emptyChange(scopeOf(task), engine.clock.now(task)), finishes: finishing(next, task) };
  await apply(engine, { load: () => Promise.resolve(null), decide: () => ({ change, value: null }) });
}
