import type { Mode } from '@gateramp/core';
import type { DueItem, SandboxDue, SandboxesDue, WorkKind } from '@gateramp/core/ports';
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

/** The items of these sandboxes in the order they become due. */
export function sandboxesDue({ deliveries, tasks }: Tables, { ahead, kinds, limit }: SandboxesDue): SandboxDue[] {
  const found = [...ahead].flatMap(([partnerId, byMs]) => {
    const of = (kind: DueItem['kind'], items: readonly { readonly id: string; readonly due: number }[]) =>
      items.map(({ id, due }) => ({
        order: due - byMs,
        item: { kind, id, mode: 'test', partnerId, dueAt: due } as const,
      }));
    const withTasks = kinds === undefined || kinds.includes('tasks');
    return [
      ...of('delivery', deliveries.ofSandbox(partnerId, limit, kinds)),
      ...of('task', withTasks ? tasks.ofSandbox(partnerId, limit) : []),
    ];
  });
  found.sort((one, other) => one.order - other.order || (one.item.id < other.item.id ? -1 : 1));
  return found.slice(0, limit).map(({ item }) => item);
}
