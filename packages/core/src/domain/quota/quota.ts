import { isoTime, utcMonth, type Instant } from '../instant.js';
import { isLive } from '../intent/intent.js';
import type { Scope } from '../mode.js';
import type { Purchase } from '../purchase/purchase.js';
import { type QuotaThreshold, WARNING_PERCENT } from './quota-resource.js';

/** Counter name of a partner's completed sessions in the UTC month of `now`. */
export function completedSessionsCounter(scope: Scope, now: Instant): string {
  return `completed_sessions/${scope.partnerId}/${scope.mode}/${isoTime(utcMonth(now).start).slice(0, 7)}`;
}

/** Whether the quota is used up; a null limit is unlimited. */
export function isExhausted(limit: number | null, used: number): boolean {
  return limit !== null && used >= limit;
}

/**
 * Counter name of a partner's session slots in a UTC month: minus the number of completed sessions and of attempts that may still complete
 * one. It counts down, so that a lower bound keeps concurrent sessions from exceeding the quota.
 */
function slotsCounter(scope: Scope, now: Instant): string {
  return `session_places/${scope.partnerId}/${scope.mode}/${isoTime(utcMonth(now).start).slice(0, 7)}`;
}

/**
 * The counter in which the purchase takes a slot: a live attempt in the month it began, a completed session in the month it completed.
 * Payments over rails take none, because only sessions are counted.
 */
function slotOf({ session, intent, transaction }: Purchase): string | null {
  if (session === null) return null;
  if (isLive(intent)) return slotsCounter(intent, intent.createdAt);
  const isPaid = session.status === 'completed' && session.txRefid === intent.txRefid;
  return isPaid ? slotsCounter(intent, transaction.completedAt ?? intent.updatedAt) : null;
}

/** A counter change by one. */
interface SlotMove {
  readonly name: string;
  readonly delta: '1' | '-1';
}

/** The slots that a step of a purchase takes and releases; `before` is null for a new purchase. */
export function slotMoves(before: Purchase | null, next: Purchase): readonly SlotMove[] {
  const had = before === null ? null : slotOf(before);
  const has = slotOf(next);
  if (had === has) return [];
  return [
    ...(had === null ? [] : [{ name: had, delta: '1' } as const]),
    ...(has === null ? [] : [{ name: has, delta: '-1' } as const]),
  ];
}

/** Thresholds that `used` has reached; each is announced once a month. */
export function thresholdsReached(limit: number, used: number): readonly QuotaThreshold[] {
  const reached: QuotaThreshold[] = [];
  if (used * 100 >= limit * WARNING_PERCENT) reached.push('warning');
  if (used >= limit) reached.push('exhausted');
  return reached;
}
