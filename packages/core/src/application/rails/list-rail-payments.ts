import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { cutPage, type Page, type PageRequest } from '../../domain/paging/page.js';
import type { RailKind, RailPayment } from '../../domain/rails/rail-payment.js';
import type { Refusal } from '../../domain/refusal.js';
import type { DocumentFilter } from '../../ports/document.js';
import { findRow, listRows } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { RAIL_KINDS } from './rail-kinds.js';
import { lapsed, paymentNotFound } from './read-rail-payment.js';

export type RailFilter = Pick<DocumentFilter, 'createdAfter' | 'createdBefore'>;

/** A page of pay-ins or of pay-outs, newest first, those lapsed whose money did not come in time. */
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
  const now = engine.clock.now(scope.mode);
  const items: RailPayment[] = [];
  for (const payment of page.items) items.push(await lapsed(engine, payment, now));
  return ok({ ...page, items });
}
