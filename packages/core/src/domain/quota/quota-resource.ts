import { isoTime, utcMonth, type Instant } from '../instant.js';
import { type Rendered, toJsonText } from '../json.js';
import type { Scope } from '../mode.js';

/** Percentage of the quota at which `partner.quota.warning` is sent. */
export const WARNING_PERCENT: number = 80;

/** Thresholds of a quota that are announced. */
export type QuotaThreshold = 'warning' | 'exhausted';

/** Data of `partner.quota.warning` and `partner.quota.exhausted`. */
export type PartnerQuota = Rendered<typeof quotaData>;

/** Renders the data of a quota event: the usage of the month that contains `now`. */
export function quotaData(
  scope: Scope,
  threshold: QuotaThreshold,
  usage: { readonly limit: number; readonly used: number },
  now: Instant,
) {
  const period = utcMonth(now);
  return toJsonText({
    object: 'partner_quota',
    partner_id: scope.partnerId,
    mode: scope.mode,
    quota: 'completed_sessions',
    limit: usage.limit,
    used: usage.used,
    remaining: Math.max(0, usage.limit - usage.used),
    threshold_percent: threshold === 'warning' ? WARNING_PERCENT : 100,
    period_start: isoTime(period.start),
    period_end: isoTime(period.end),
  });
}
