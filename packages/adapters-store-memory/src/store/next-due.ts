import type { Mode } from '@gateramp/core';
import type { DueItem, WorkKind } from '@gateramp/core/ports';
import { isSooner } from '../work/due-queue.js';
import type { Tables } from './tables.js';

/** The first delivery or task of a mode to become free; only the heads of the queues are read. */
export function nextDue({ deliveries, tasks }: Tables, mode: Mode, kinds?: readonly WorkKind[]): DueItem | null {
  const delivery = deliveries.soonest(mode, kinds);
  const task = kinds === undefined || kinds.includes('tasks') ? tasks.soonest(mode) : null;
  if (delivery !== null && (task === null || isSooner(delivery, task))) {
    return { kind: 'delivery', id: delivery.id, mode, dueAt: delivery.due };
  }
  return task === null ? null : { kind: 'task', id: task.id, mode, dueAt: task.due };
}
