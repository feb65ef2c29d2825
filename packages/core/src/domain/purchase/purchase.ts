import type { Intent } from '../intent/intent.js';
import type { RailPayment } from '../rails/rail-payment.js';
import { whileOpen, type Announcement, type Session, type Transition } from '../session/session.js';
import type { Transaction } from '../transaction/transaction.js';

/**
 * An intent with its transaction and whose it is: a session's, or a payment's over rails. It is what a provider update changes, and the
 * rules are the same for every owner; only what is announced differs.
 */
export type Purchase = SessionPurchase | RailPurchase;

/** A session with one of its intents and that one's transaction. */
export interface SessionPurchase {
  readonly session: Session;
  readonly intent: Intent;
  readonly transaction: Transaction;
}

/** A payment over rails with its intent and transaction. */
export interface RailPurchase {
  readonly session: null;
  readonly payment: RailPayment;
  readonly intent: Intent;
  readonly transaction: Transaction;
}

/** Whose the purchase is. */
export function ownerOf(purchase: Purchase): Session | RailPayment {
  return purchase.session ?? purchase.payment;
}

/** The next purchase, what it announces, and what to report to an operator. */
export interface PurchaseStep<Whole extends Purchase = Purchase> {
  readonly purchase: Whole;
  readonly announcements: readonly Announcement[];
  readonly alarms: readonly PurchaseAlarm[];
}

/** What must be reported to an operator about a purchase. */
export type PurchaseAlarm = 'settled_after_close' | 'charged_back' | 'second_settlement';

/**
 * An open session announces the result of its attempt. A payment over rails announces its own change,
 * once the step is whole (`followIntent`).
 */
export function transitionSession(purchase: Purchase, step: (session: Session) => Transition): PurchaseStep {
  if (purchase.session === null) return { purchase, announcements: [], alarms: [] };
  const announced = whileOpen(purchase.session, step);
  return { purchase: { ...purchase, session: announced.session }, announcements: announced.announcements, alarms: [] };
}
