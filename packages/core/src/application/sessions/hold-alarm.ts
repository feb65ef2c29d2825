import type { Instant } from '../../domain/instant.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import { newTask, type Task } from '../../domain/task/task.js';
import type { Engine } from '../engine.js';

/** A session, or a payment over rails. */
interface Held extends Scope {
  readonly id: string;
  readonly heldSince: Instant | null;
}

/** A hold that begins sets the alarm that an operator gets when it does not end. */
export function holdAlarm(engine: Engine, before: Held | null, next: Held, now: Instant): readonly Task[] {
  if ((before?.heldSince ?? null) !== null || next.heldSince === null) return [];
  const dueAt = next.heldSince + engine.policy.holdAlarmAfter;
  return [
    newTask({ id: engine.ids.object(now), kind: 'hold_alarm', ...scopeOf(next), subjectId: next.id, dueAt }, now),
  ];
}
