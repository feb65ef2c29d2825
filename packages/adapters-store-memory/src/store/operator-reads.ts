import { type Delivery, freeAt as taskFreeAt, type Instant, type Task } from '@gateramp/core/domain';
import type { OperatorReads } from '@gateramp/core/ports';
import type { Tables } from './tables.js';

/** What operators read of all partners. Looks at every row, which is as fast as a memory store is small. */
export function operatorReads({ partners, deliveries, tasks, sessions }: Tables): OperatorReads {
  return {
    partners: async () => partners.all(),
    queuedDeliveries: async (mode, perLane, partnerId = null) => {
      const queued = deliveries
        .rows(mode)
        .filter((row) => isQueued(row) && (partnerId === null || row.partnerId === partnerId))
        .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || byId(one, other));
      const taken = new Map<string, number>();
      return queued.filter(({ lane }) => {
        const count = (taken.get(lane) ?? 0) + 1;
        taken.set(lane, count);
        return count <= perLane;
      });
    },
    oldestTasks: async (mode, now) => {
      const oldest = new Map<string, Task>();
      for (const task of inOrderOfDue(tasks.rows(mode), now)) if (!oldest.has(task.kind)) oldest.set(task.kind, task);
      return [...oldest.values()];
    },
    stuckTasks: async (mode, dueBefore, limit) =>
      tasks
        .rows(mode)
        .filter((task) => {
          const free = taskFreeAt(task);
          return task.status !== 'done' && (free === null || free < dueBefore || task.failures > 0);
        })
        .toSorted(byId)
        .slice(0, limit),
    heldSessions: async (mode, limit) =>
      sessions
        .rows()
        .filter((session) => session.mode === mode && session.heldSince !== null)
        .toSorted((one, other) => (one.heldSince ?? 0) - (other.heldSince ?? 0) || byId(one, other))
        .slice(0, limit),
  };
}

function isQueued({ dueAt, parkedAt }: Delivery): boolean {
  return dueAt !== null && parkedAt === null;
}

function inOrderOfDue(rows: readonly Task[], now: Instant): readonly Task[] {
  const since = (task: Task): number => taskFreeAt(task) ?? Infinity;
  return rows
    .filter((task) => since(task) <= now)
    .toSorted((one, other) => since(one) - since(other) || byId(one, other));
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}
