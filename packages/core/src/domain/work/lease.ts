import type { Instant } from '../instant.js';
import type { Task } from '../task/task.js';
import { hasEnded, type Delivery } from '../webhook/delivery.js';

/** Until `leaseUntil` no other worker gets it. */
export interface LeaseFields {
  readonly leaseToken: string;
  readonly leaseUntil: Instant;
  /** Claims since a result was last recorded, this one included. */
  readonly claims: number;
}

/**
 * When a delivery or task may be claimed: at its due time, or when the lease that it is under lapses. Null: never, since it has ended or is
 * parked.
 */
export function freeAt(work: Delivery | Task): Instant | null {
  const dueAt = dueTime(work);
  return dueAt === null || work.leaseToken === null ? dueAt : work.leaseUntil;
}

function dueTime(work: Delivery | Task): Instant | null {
  if ('kind' in work) return work.status === 'pending' ? work.dueAt : null;
  return hasEnded(work) || work.parkedAt !== null ? null : work.dueAt;
}

/** What a claim at `now` changes in the row. */
export function leaseOf(
  work: Pick<Delivery | Task, 'claims'>,
  { now, leaseMs, token }: { readonly now: Instant; readonly leaseMs: number; readonly token: string },
): LeaseFields {
  return { leaseToken: token, leaseUntil: now + leaseMs, claims: work.claims + 1 };
}
