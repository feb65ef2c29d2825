import type { Instant } from '../../domain/instant.js';
import { isAlarmDue, type Task } from '../../domain/task.js';
import type { Engine } from '../engine.js';

/**
 * Raises the alarm of a step or refund that has been pending for too long. Called before the run's end is committed, so that a crash
 * repeats the alarm instead of losing it.
 */
export function raiseAlarmIfDue({ telemetry }: Engine, task: Task, now: Instant): void {
  if (!isAlarmDue(task, now)) return;
  const name = task.kind === 'provider_refund' ? 'refund_pending_too_long' : 'provider_step_unknown';
  telemetry.alarm(name, { ...fieldsOf(task), intent_id: task.subjectId });
}

/** Log and alarm fields of a task. */
export function fieldsOf({ id, kind, partnerId, mode }: Task) {
  return { partner_id: partnerId, mode, task_id: id, kind };
}
