import type { Failure, Instant } from '@gateramp/core/domain';
import { RETURN_AFTER_MS } from './cards.js';
import type { OperationPlan } from './plan.js';

/** The scheduled end of a movement of money. It is computed in advance, so it needs no timer. */
export interface Ending {
  readonly at: Instant;
  readonly failure: Failure | null;
  readonly returned: { readonly kind: 'refunded' | 'charged_back'; readonly at: Instant } | null;
}

/** The end that the plan schedules for money that moves from `now`; null if it waits for an external event. */
export function endingOf(plan: OperationPlan, now: Instant): Ending | null {
  if (plan.settleAfterMs === null) return null;
  return endingAt(plan, now + plan.settleAfterMs);
}

/** The end that the plan schedules at that instant. */
export function endingAt(plan: OperationPlan, at: Instant): Ending {
  return plan.failure === null ? succeededAt(plan, at) : { at, failure: plan.failure, returned: null };
}

/** A successful end, including a later return of the money by the card. */
export function succeededAt(plan: OperationPlan | null, at: Instant): Ending {
  const kind = plan?.returned ?? null;
  return { at, failure: null, returned: kind === null ? null : { kind, at: at + RETURN_AFTER_MS } };
}
