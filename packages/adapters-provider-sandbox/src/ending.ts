import type { Failure, Instant } from '@gateramp/core/domain';
import { RETURN_AFTER_MS } from './cards.js';
import type { OperationPlan } from './plan.js';

/** How and when moving money comes to rest. It is arranged ahead, so no timer carries it. */
export interface Ending {
  readonly at: Instant;
  readonly failure: Failure | null;
  readonly returned: { readonly kind: 'refunded' | 'charged_back'; readonly at: Instant } | null;
}

/** The end the plan arranges for money that moves from `now`; null when it stays until it is ended from outside. */
export function endingOf(plan: OperationPlan, now: Instant): Ending | null {
  if (plan.settleAfterMs === null) return null;
  return endingAt(plan, now + plan.settleAfterMs);
}

/** The end the plan arranges at that instant. */
export function endingAt(plan: OperationPlan, at: Instant): Ending {
  return plan.failure === null ? succeededAt(plan, at) : { at, failure: plan.failure, returned: null };
}

/** A good end, with what the card does a while after. */
export function succeededAt(plan: OperationPlan | null, at: Instant): Ending {
  const kind = plan?.returned ?? null;
  return { at, failure: null, returned: kind === null ? null : { kind, at: at + RETURN_AFTER_MS } };
}
