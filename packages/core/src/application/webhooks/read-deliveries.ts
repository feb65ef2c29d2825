import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { cutPage, type Page, type PageRequest, type PageStart } from '../../domain/paging/page.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { type Delivery, endedAt } from '../../domain/webhook/delivery.js';
import type { DeliveryFilter, DeliveryRecord } from '../../ports/rows.js';
import type { Engine } from '../engine.js';

/** Whether a delivery is within its retention. `ReapRequest` uses the same instant, so it does not matter when rows are deleted. */
function isKept({ policy }: Pick<Engine, 'policy'>, delivery: Delivery, now: Instant): boolean {
  const end = endedAt(delivery);
  return end === null || end + policy.endedRetention > now;
}

/** Page size after a page that contained rows past their retention. */
const NEXT_PAGE = 1_000;

/** Up to `limit + 1` deliveries within their retention, in the order of the page. */
export async function listKeptDeliveries(
  engine: Engine,
  scope: Scope,
  filter: DeliveryFilter,
  { start: first, limit }: PageRequest,
): Promise<readonly DeliveryRecord[]> {
  const kept: DeliveryRecord[] = [];
  let page: PageRequest = { start: first, limit };
  for (;;) {
    const rows = await engine.store.list('delivery', scope, filter, page);
    const now = engine.clock.now(scope);
    kept.push(...rows.filter(({ delivery }) => isKept(engine, delivery, now)));
    const last = rows.at(-1);
    if (kept.length > limit || rows.length <= page.limit || last === undefined) return kept.slice(0, limit + 1);
    page = { start: startAfter(first, last.delivery.id), limit: NEXT_PAGE };
  }
}

/** The start of the page that follows `id`. */
function startAfter({ kind }: PageStart, id: string): PageStart {
  return kind === 'before' ? { kind, id } : { kind: 'after', id };
}

/** Retrieves a delivery to the partner's endpoint. Deliveries to the host's consumers are not visible to partners. */
export async function retrieveDelivery(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<DeliveryRecord, Refusal<'delivery_not_found'>>> {
  const record = await engine.store.find('delivery', scope, id);
  if (record?.delivery.target !== 'webhook') return deliveryNotFound();
  return isKept(engine, record.delivery, engine.clock.now(scope)) ? ok(record) : deliveryNotFound();
}

function deliveryNotFound(): ReturnType<typeof refuse<'delivery_not_found'>> {
  return refuse('delivery_not_found', 'There is no such delivery for this key.');
}

/** The filters of a partner's list of deliveries. */
export type DeliveryListFilter = Omit<DeliveryFilter, 'target'>;

/** A page of deliveries to the partner's endpoint, newest first. Another partner's cursor is treated as unknown. */
export async function listDeliveries(
  engine: Engine,
  scope: Scope,
  filter: DeliveryListFilter,
  request: PageRequest,
): Promise<Result<Page<DeliveryRecord>, Refusal<'delivery_not_found'>>> {
  if (request.start.kind !== 'newest') {
    const cursor = await retrieveDelivery(engine, scope, request.start.id);
    if (cursor.isErr()) return cursor.map(() => ({ items: [], hasMore: false }));
  }
  return ok(cutPage(await listKeptDeliveries(engine, scope, { ...filter, target: 'webhook' }, request), request));
}
