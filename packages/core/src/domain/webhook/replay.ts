import { ok, type Result } from 'neverthrow';
import type { Instant } from '../instant.js';
import { refuse, type Refusal } from '../refusal.js';
import { laneOf, type Delivery } from './delivery.js';

/** Only a delivery that has been given up may be begun again. */
export type NotDeadLettered = Refusal<'delivery_not_dead_lettered'>;

/**
 * Begins a dead-lettered delivery again, due at once: the same event and bytes, a fresh budget. Its attempts go on being numbered. It waits
 * with the retries, so that however many are replayed, none delays a fresh event.
 */
export function replay(delivery: Delivery, now: Instant): Result<Delivery, NotDeadLettered> {
  if (delivery.status !== 'dead_lettered') {
    return refuse(
      'delivery_not_dead_lettered',
      `Only a dead-lettered delivery can be replayed; this one is ${delivery.status}.`,
    );
  }
  return ok({
    ...delivery,
    status: 'pending',
    lane: laneOf(delivery, 'retry'),
    trigger: 'replay',
    attemptCount: 0,
    replayCount: delivery.replayCount + 1,
    dueAt: now,
    deadLetteredAt: null,
  });
}
