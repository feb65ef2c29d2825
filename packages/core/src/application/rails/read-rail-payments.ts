import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { cutPage, type Page, type PageRequest } from '../../domain/paging/page.js';
import type { RailPurchase } from '../../domain/purchase/purchase.js';
import { awaitedUntil, type RailKind, type RailPayment } from '../../domain/rails/rail-payment.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { DocumentFilter } from '../../ports/rows.js';
import { findRow, listRows, RAIL_KINDS } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { lapseIfDue } from '../intents/read-intents.js';

/** Retrieves a pay-in or pay-out of the caller. If its money did not arrive in time, this read fails the payment. */
export async function retrieveRailPayment(
  engine: Engine,
  scope: Scope,
  kind: RailKind,
  id: string,
): Promise<Result<RailPayment, Refusal<'intent_not_found'>>> {
  const payment = await findRow(engine.store, RAIL_KINDS[kind], scope, id);
  return payment === null ? paymentNotFound(kind) : ok(await lapsed(engine, payment, engine.clock.now(scope)));
}

async function lapsed(engine: Engine, payment: RailPayment, now: Instant): Promise<RailPayment> {
  const until = awaitedUntil(payment);
  return until === null || now <= until ? payment : (await readPurchase(engine, payment)).payment;
}

/** Loads the payment with its intent and transaction; fails it first if its deadline has passed. */
export async function readPurchase(engine: Engine, payment: RailPayment): Promise<RailPurchase> {
  const intent = await engine.store.find('intent', payment, payment.id);
  const purchase = intent === null ? null : await lapseIfDue(engine, intent);
  if (purchase?.session !== null) throw new Error('The intent of a payment is missing.');
  return purchase;
}

export function paymentNotFound(kind: RailKind) {
  return refuse('intent_not_found', `There is no such ${kind === 'pay_in' ? 'pay-in' : 'pay-out'} for this key.`);
}

export type RailFilter = Pick<DocumentFilter, 'createdAfter' | 'createdBefore'>;

/** A page of pay-ins or pay-outs, newest first. Payments whose deadline has passed are failed first. */
export async function listRailPayments(
  engine: Engine,
  scope: Scope,
  kind: RailKind,
  filter: RailFilter,
  request: PageRequest,
): Promise<Result<Page<RailPayment>, Refusal<'intent_not_found'>>> {
  const { start } = request;
  if (start.kind !== 'newest' && (await findRow(engine.store, RAIL_KINDS[kind], scope, start.id)) === null)
    return paymentNotFound(kind);
  const page = cutPage(await listRows(engine.store, RAIL_KINDS[kind], scope, request, filter), request);
  const now = engine.clock.now(scope);
  const items: RailPayment[] = [];
  for (const payment of page.items) items.push(await lapsed(engine, payment, now));
  return ok({ ...page, items });
}
