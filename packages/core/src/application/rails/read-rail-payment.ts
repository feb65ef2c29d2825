import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import type { RailPurchase } from '../../domain/purchase/purchase.js';
import { awaitedUntil, type RailKind, type RailPayment } from '../../domain/rails/rail-payment.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { findRow } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { lapseIfDue } from '../intents/lapse-intent.js';
import { RAIL_KINDS } from './rail-kinds.js';

/** A pay-in or pay-out of the caller's own as it is now: one whose money did not come in time fails at the first read. */
export async function retrieveRailPayment(
  engine: Engine,
  scope: Scope,
  kind: RailKind,
  id: string,
): Promise<Result<RailPayment, Refusal<'intent_not_found'>>> {
  const payment = await findRow(engine.store, RAIL_KINDS[kind], scope, id);
  return payment === null ? paymentNotFound(kind) : ok(await lapsed(engine, payment, engine.clock.now(scope.mode)));
}

export async function lapsed(engine: Engine, payment: RailPayment, now: Instant): Promise<RailPayment> {
  const until = awaitedUntil(payment);
  return until === null || now <= until ? payment : (await readPurchase(engine, payment)).payment;
}

/** The payment with its intent and transaction, lapsed first if that is due. */
export async function readPurchase(engine: Engine, payment: RailPayment): Promise<RailPurchase> {
  const intent = await engine.store.find('intent', payment, payment.id);
  const purchase = intent === null ? null : await lapseIfDue(engine, intent);
  if (purchase?.session !== null) throw new Error('The intent of a payment is missing.');
  return purchase;
}

export function paymentNotFound(kind: RailKind) {
  return refuse('intent_not_found', `There is no such ${kind === 'pay_in' ? 'pay-in' : 'pay-out'} for this key.`);
}
