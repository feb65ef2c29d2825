import {
  MINUTE,
  NO_DETAILS,
  type Instant,
  type Outcome,
  type SettlementDetails,
  type Stage,
} from '@gateramp/core/domain';
import type { ProviderAnswer } from '@gateramp/core/ports';
import { deliveryOf, type Delivery } from './chain.js';
import { bankActionsOf } from './disputes.js';
import type { Ending } from './ending.js';
import { REVIEW_ACTION } from './documents.js';
import { inOrder, isExpected, reviewed, type Moving, type SandboxOperation } from './operation.js';
import type { OperationPlan } from './plan.js';

/** The operation at `at`, or at its last change if that is later, derived from its schedule. Null if it was never started or closed. */
export function answerOf(known: SandboxOperation, at: Instant): ProviderAnswer | null {
  const now = inOrder(known, at);
  const operation = reviewed(known, now);
  const { state } = operation;
  switch (state.step) {
    case 'planned':
      return null;
    case 'awaiting': {
      const outcome: Outcome =
        state.action.type === 'kyc'
          ? { kind: 'requires_action', nextAction: state.action, reasons: ['amount_threshold'] }
          : { kind: 'requires_action', nextAction: state.action };
      // A buyer who never returns to the checkout may still have approved the payment.
      const isAskedThere = state.action.type === 'redirect' || state.action.type === 'provider_component';
      return { outcome, details: detailsOf(operation, null), checkAfterMs: isAskedThere ? MINUTE : null };
    }
    case 'in_review':
      return {
        outcome: { kind: 'requires_action', nextAction: REVIEW_ACTION },
        details: detailsOf(operation, null),
        checkAfterMs: state.until - now,
      };
    case 'failed':
      return { outcome: { kind: 'failed', failure: state.failure }, details: NO_DETAILS, checkAfterMs: null };
    case 'cancelled':
      return { outcome: { kind: 'cancelled' }, details: NO_DETAILS, checkAfterMs: null };
    case 'moving':
      return isExpected(state, now) ? expectedAnswer(operation, state, now) : movingAnswer(operation, state, now);
  }
}

function expectedAnswer(
  operation: SandboxOperation,
  { since, awaited }: Required<Pick<Moving, 'since' | 'awaited'>>,
  now: Instant,
): ProviderAnswer {
  const outcome: Outcome = { kind: 'requires_action', nextAction: awaited };
  return { outcome, details: detailsOf(operation, null), checkAfterMs: since - now };
}

function movingAnswer(operation: SandboxOperation, { since, ending }: Moving, now: Instant): ProviderAnswer {
  const delivery = ending?.failure === null ? deliveryOf(operation, since, ending, now) : null;
  if (ending === null || now < ending.at) {
    const stage = stageAt(operation.plan, since, ending, now);
    const nextAt = delivery?.nextAt ?? ending?.at ?? null;
    return {
      outcome: { kind: 'processing', stage },
      details: detailsOf(operation, delivery),
      checkAfterMs: nextAt === null ? null : nextAt - now,
    };
  }
  const details = detailsOf(operation, delivery);
  if (ending.failure !== null)
    return { outcome: { kind: 'failed', failure: ending.failure }, details, checkAfterMs: null };
  const { returned } = ending;
  if (returned !== null && now >= returned.at) return { outcome: { kind: returned.kind }, details, checkAfterMs: null };
  return { outcome: { kind: 'succeeded' }, details, checkAfterMs: returned === null ? null : returned.at - now };
}

/** The first half of the time is conversion (or a bank transfer that is still arriving), the second half delivery. */
function stageAt(plan: OperationPlan | null, since: Instant, ending: Ending | null, now: Instant): Stage {
  const isLate = ending !== null && now - since >= (ending.at - since) / 2;
  if (isLate) return plan?.flow === 'off_ramp' ? 'payout' : 'delivery';
  return plan?.flow === 'on_ramp' && plan.paymentMethod === 'bank_transfer' ? 'payment' : 'conversion';
}

function detailsOf(operation: SandboxOperation, delivery: Delivery | null): SettlementDetails {
  const price = operation.plan?.price;
  if (price === undefined) return NO_DETAILS;
  const { source, destination, exchangeRate, fees, feeTotal } = price;
  return {
    ...{ source, destination, exchangeRate, fees, feeTotal },
    ...(delivery?.details ?? { txHash: null }),
    ...bankActionsOf(operation),
  };
}
