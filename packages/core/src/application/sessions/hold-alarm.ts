import type { Instant } from '../../domain/instant.js';
import { scopeOf } from '../../domain/mode.js';
import type { Session } from '../../domain/session/session.js';
import { newTask, type Task } from '../../domain/task/task.js';
import type { Engine } from '../engine.js';

/** A hold that begins sets the alarm that tells an operator when it does not end. */
export function holdAlarm(engine: Engine, before: Session, next: Session, now: Instant): readonly Task[] {
  if (before.heldSince !== null || next.heldSince === null) return [];
  const dueAt = next.heldSince + engine.policy.holdAlarmAfter;
  return [
    newTask({ id: engine.ids.object(now), kind: 'hold_alarm', ...scopeOf(next), subjectId: next.id, dueAt }, now),
  ];
}
