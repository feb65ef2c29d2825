import { isoTime, utcMonth, type Instant } from '../instant.js';
import { toJsonText, type JsonText } from '../json/json-text.js';
import type { Scope } from '../mode.js';
import type { Policy } from '../policy.js';

export type QuotaThreshold = 'warning' | 'exhausted';

/** Name of the counter of a partner's completed sessions in the UTC month of `now`. */
export function completedSessionsCounter(scope: Scope, now: Instant): string {
  return `completed_sessions/${scope.partnerId}/${scope.mode}/${isoTime(utcMonth(now).start).slice(0, 7)}`;
}

export function isExhausted(limit: number | null, used: number): boolean {
  return limit !== null && used >= limit;
}

/** Thresholds that `used` has reached; each is announced once a month. */
export function thresholdsReached(limit: number, used: number, policy: Policy): readonly QuotaThreshold[] {
  const reached: QuotaThreshold[] = [];
  if (used * 100 >= limit * policy.quotaWarningPercent) reached.push('warning');
  if (used >= limit) reached.push('exhausted');
  return reached;
}

export function quotaData(
  scope: Scope,
  threshold: QuotaThreshold,
  usage: { readonly limit: number; readonly used: number },
  now: Instant,
  policy: Policy,
): JsonText {
  const period = utcMonth(now);
  return toJsonText({
    object: 'partner_quota',
    partner_id: scope.partnerId,
    mode: scope.mode,
    quota: 'completed_sessions',
    limit: usage.limit,
    used: usage.used,
    remaining: Math.max(0, usage.limit - usage.used),
    threshold_percent: threshold === 'warning' ? policy.quotaWarningPercent : 100,
    period_start: isoTime(period.start),
    period_end: isoTime(period.end),
  });
}
