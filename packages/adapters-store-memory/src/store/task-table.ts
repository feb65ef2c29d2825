import { freeAt, type Instant, type Mode, type Scope, type Task } from '@gateramp/core/domain';
import type { Lease, TaskClaim, TaskFinish, WorkOwner } from '@gateramp/core/ports';
import { Retention } from '../structures/retention.js';
import type { DueItem } from '../work/due-queue.js';
import { WorkTable } from '../work/work-table.js';

/** Tasks are internal and short, so one queue suffices, oldest due first. */
const QUEUE = 'tasks';

export class TaskTable {
  private readonly work = new WorkTable<Task>({ freeAt, lane: () => QUEUE, endpoint: () => QUEUE });
  private readonly done: Record<Mode, Retention> = { test: new Retention(), live: new Retention() };

  /** All tasks of a mode, in no order. */
  rows(mode: Mode): readonly Task[] {
    return this.work.rows(mode);
  }

  has(id: string): boolean {
    return this.work.has(id);
  }

  find(scope: Scope, id: string): Task | null {
    return this.work.find(scope, id);
  }

  accepts({ row, leaseToken }: TaskFinish): boolean {
    return this.work.isHeldBy(row.id, leaseToken);
  }

  put(row: Task, now: Instant): void {
    this.work.put(row);
    if (row.status === 'done') this.done[row.mode].keep(row.id, now);
  }

  claim(request: TaskClaim): Task[] {
    return this.work.claim({ ...request, lane: QUEUE, perEndpoint: Infinity });
  }

  claimOne(owner: WorkOwner, id: string, lease: Lease & { readonly early: boolean }): Task | null {
    return this.work.claimOne(owner, id, lease);
  }

  soonest(mode: Mode): DueItem | null {
    return this.work.soonest(mode);
  }

  ofSandbox(partnerId: string, limit: number): readonly DueItem[] {
    return this.work.ofSandbox(partnerId, limit);
  }

  /** A task that is done never runs again, so its reminder is never outdated. */
  reapOne(mode: Mode, doneBy: Instant): 'deleted' | 'none' {
    const id = this.done[mode].take(doneBy);
    if (id === null) return 'none';
    this.work.remove(id);
    return 'deleted';
  }
}
