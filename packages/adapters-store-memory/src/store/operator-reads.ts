import type { Scope } from '@gateramp/core';
import { type Delivery, freeAt, type Instant, type Task } from '@gateramp/core/domain';
import { DUE_TASKS_MAX, EVERY_ENTRY, type OperatorReads, type ScopeMarks } from '@gateramp/core/ports';
import type { Tables } from './tables.js';

/** What operators read of all partners. Looks at every row, which is as fast as a memory store is small. */
export function operatorReads(tables: Tables): OperatorReads {
  const { partners, deliveries, tasks, sessions, audit } = tables;
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
      const due = inOrderOfDue(tasks.rows(mode), now);
      const oldest = new Map<string, Task>();
      for (const task of due.slice(0, DUE_TASKS_MAX + 1)) if (!oldest.has(task.kind)) oldest.set(task.kind, task);
      return { tasks: [...oldest.values()], hasMore: due.length > DUE_TASKS_MAX };
    },
    stuckTasks: async (mode, dueBefore, limit) => {
      const open = tasks.rows(mode).filter(({ status }) => status !== 'done');
      const byCreation = open.toSorted(byId);
      const first = [
        byCreation.filter((task) => freeAt(task) === null),
        byCreation.filter((task) => freeAt(task) !== null && task.failures > 0),
        inOrderOfDue(open, dueBefore - 1),
      ].flatMap((rows) => rows.slice(0, limit));
      return [...new Set(first)].toSorted(byId).slice(0, limit);
    },
    parkedTasks: async (mode, limit, partnerIds = null) =>
      tasks
        .rows(mode)
        .filter(({ status, partnerId }) => status === 'parked' && (partnerIds?.includes(partnerId) ?? true))
        .toSorted(byId)
        .slice(0, limit),
    countDeadLetters: async (scopes, limit) =>
      scopes.map(({ partnerId, mode }) => {
        const dead = deliveries
          .rows(mode)
          .filter((row) => row.partnerId === partnerId && row.target === 'webhook' && row.status === 'dead_lettered');
        return Math.min(dead.length, limit);
      }),
    heldSessions: async (mode, limit) =>
      sessions
        .rows()
        .filter((session) => session.mode === mode && session.heldSince !== null)
        .toSorted(byId)
        .slice(0, limit)
        .toSorted((one, other) => (one.heldSince ?? 0) - (other.heldSince ?? 0) || byId(one, other)),
    marks: async ({ scopes, work }) => ({
      scopes: scopes.map((scope) => scopeMarks(tables, scope)),
      audit: audit.list({ ...NEWEST_ENTRIES, limit: 1 })[0]?.sequence ?? 0,
      work: work
        ? [
            ...sessions.rows().filter(({ heldSince }) => heldSince !== null),
            ...(['test', 'live'] as const).flatMap((mode) =>
              tasks.rows(mode).filter(({ status }) => status === 'parked'),
            ),
          ]
            .map(({ id }) => id)
            .join()
        : null,
    }),
  };
}

const NEWEST_ENTRIES = { ...EVERY_ENTRY, order: 'newest_first', beyond: null } as const;

function scopeMarks({ events, deliveries, audit }: Tables, scope: Scope): ScopeMarks {
  const { partnerId, mode } = scope;
  const [event] = events.page(scope, { start: { kind: 'newest' }, limit: 1 }, () => true);
  const own = deliveries.rows(mode).filter((row) => row.partnerId === partnerId && row.target === 'webhook');
  const entry = audit
    .list({ ...NEWEST_ENTRIES, partnerId, limit: 50 })
    .find((one) => one.mode === null || one.mode === mode);
  return {
    events: event?.id ?? null,
    deliveries: own.map((row) => `${row.id} ${row.attemptsTotal} ${isQueued(row) ? row.dueAt : ''}`).join(),
    settings: entry?.sequence ?? 0,
  };
}

function isQueued({ dueAt, parkedAt }: Delivery): boolean {
  return dueAt !== null && parkedAt === null;
}

function inOrderOfDue(rows: readonly Task[], now: Instant): readonly Task[] {
  const since = (task: Task): number => freeAt(task) ?? Infinity;
  return rows
    .filter((task) => since(task) <= now)
    .toSorted((one, other) => since(one) - since(other) || byId(one, other));
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}
