import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { cutPage, type Page, type PageRequest } from '../../domain/paging/page.js';
import type { Refusal } from '../../domain/refusal.js';
import type { DeliveryFilter, DeliveryRecord } from '../../ports/rows.js';
import type { Engine } from '../engine.js';
import { findDelivery } from './find-delivery.js';
import { listKeptDeliveries } from './kept-deliveries.js';

/** What a partner may filter its deliveries by. */
export type DeliveryListFilter = Omit<DeliveryFilter, 'target'>;

/** A page of deliveries to the partner's endpoint, newest first. A cursor that is not the caller's does not exist. */
export async function listDeliveries(
  engine: Engine,
  scope: Scope,
  filter: DeliveryListFilter,
  request: PageRequest,
): Promise<Result<Page<DeliveryRecord>, Refusal<'delivery_not_found'>>> {
  if (request.start.kind !== 'newest') {
    const cursor = await findDelivery(engine, scope, request.start.id);
    if (cursor.isErr()) return cursor.map(() => ({ items: [], hasMore: false }));
  }
  return ok(cutPage(await listKeptDeliveries(engine, scope, { ...filter, target: 'webhook' }, request), request));
}
