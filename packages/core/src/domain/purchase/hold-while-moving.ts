import type { Instant } from '../instant.js';
import { isLive, type Intent } from '../intent/intent.js';
import type { Policy } from '../policy.js';
import type { Purchase } from './purchase.js';

/**
 * A session is held from the commit of a provider step until its outcome is known, and while its intent is processing
 * (`docs/spec-notes.md`, the deliberate deviation). The version of the session's row carries it: a change that decided to close
 * the session before the step was committed finds the row changed.
 */
export function holdWhileMoving<Whole extends Purchase>(purchase: Whole, now: Instant, policy: Policy): Whole;
export function holdWhileMoving(purchase: Purchase, now: Instant, policy: Policy): Purchase {
  const { intent } = purchase;
  const isHeld = policy.expiry === 'hold_while_processing' && mayBeMoving(intent);
  if (purchase.session === null) {
    const { payment } = purchase;
    const heldSince = isHeld ? (payment.heldSince ?? now) : null;
    return heldSince === payment.heldSince ? purchase : { ...purchase, payment: { ...payment, heldSince } };
  }
  const { session } = purchase;
  if (session.intentId !== intent.id) return purchase;
  const heldSince = isHeld ? (session.heldSince ?? now) : null;
  return heldSince === session.heldSince ? purchase : { ...purchase, session: { ...session, heldSince } };
}

/** A step of unknown outcome is in progress, or the provider has said that money moves. */
export function mayBeMoving(intent: Intent): boolean {
  return intent.status === 'processing' || (isLive(intent) && intent.stepTaskId !== null);
}

/** Another step at the provider is under way. */
export function beginStep<Whole extends Purchase>(purchase: Whole, taskId: string, now: Instant, policy: Policy): Whole;
export function beginStep(purchase: Purchase, taskId: string, now: Instant, policy: Policy): Purchase {
  const intent: Intent = { ...purchase.intent, stepTaskId: taskId, updatedAt: now };
  return holdWhileMoving({ ...purchase, intent }, now, policy);
}

/** The step is over, whatever its outcome. An update from elsewhere never ends one: the step may still move money. */
export function endStep<Whole extends Purchase>(purchase: Whole, taskId: string, now: Instant, policy: Policy): Whole;
export function endStep(purchase: Purchase, taskId: string, now: Instant, policy: Policy): Purchase {
  if (purchase.intent.stepTaskId !== taskId) return purchase;
  return holdWhileMoving({ ...purchase, intent: { ...purchase.intent, stepTaskId: null } }, now, policy);
}
