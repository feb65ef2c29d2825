import type { Intent } from '../intent/intent.js';
import type { RailPayment } from '../rails/rail-payment.js';
import { whileOpen, type Announcement, type Session, type Transition } from '../session/session.js';
import type { Transaction } from '../transaction/transaction.js';

/**
 * An intent with its transaction and its owner, a session or a payment over rails. Provider updates change a purchase by the same rules for
 * both owners; only the announcements differ.
 */
export type Purchase = SessionPurchase | RailPurchase;

/** A session with one of its intents and the transaction of that intent. */
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

/** The owner of the purchase. */
export function ownerOf(purchase: Purchase): Session | RailPayment {
  return purchase.session ?? purchase.payment;
}

/** The next purchase, its announcements, and alarms for an operator. */
export interface PurchaseStep<Whole extends Purchase = Purchase> {
  readonly purchase: Whole;
  readonly announcements: readonly Announcement[];
  readonly alarms: readonly PurchaseAlarm[];
}

/** Conditions of a purchase that are reported to an operator. */
export type PurchaseAlarm = 'settled_after_close' | 'charged_back' | 'second_settlement';

/**
 * Announces the result of an attempt while its session is open. A payment over rails announces its own change once the step is complete
 * (`followIntent`).
 */
export function transitionSession(purchase: Purchase, step: (session: Session) => Transition): PurchaseStep {
  if (purchase.session === null) return { purchase, announcements: [], alarms: [] };
  const announced = whileOpen(purchase.session, step);
  return { purchase: { ...purchase, session: announced.session }, announcements: announced.announcements, alarms: [] };
}
