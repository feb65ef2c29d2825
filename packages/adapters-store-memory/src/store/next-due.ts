import type { Mode } from '@gateramp/core';
import type { DueItem } from '@gateramp/core/ports';
import { isSooner } from '../work/due-queue.js';
import type { Tables } from './tables.js';

/** The first delivery or task of a mode to become free; the store never looks further than the heads of its queues. */
export function nextDue({ deliveries, tasks }: Tables, mode: Mode): DueItem | null {
  const delivery = deliveries.soonest(mode);
  const task = tasks.soonest(mode);
  if (delivery !== null && (task === null || isSooner(delivery, task))) {
    return { kind: 'delivery', id: delivery.id, mode, dueAt: delivery.due };
  }
  return task === null ? null : { kind: 'task', id: task.id, mode, dueAt: task.due };
}
