import type { Scope } from '@gateramp/core';
import type { PageRequest, PageStart } from '@gateramp/core/domain';
import type { Connection } from './connection.js';
import type { SlowPageQueue } from './slow-page-queue.js';
import { endOfSlice, pageOf, type Condition } from './page.js';

/** A table whose rows are listed by id. */
export interface Listing {
  readonly table: string;
  readonly index: string;
  /** Indexes with one column before the id, the most selective first. */
  readonly ledBy: readonly (readonly [column: string, index: string])[];
}

export const SESSIONS: Listing = {
  table: 'sessions',
  index: 'sessions_listed',
  ledBy: [
    ['user_reference', 'sessions_of_user'],
    ['status', 'sessions_by_status'],
  ],
};

export const TRANSACTIONS: Listing = {
  table: 'transactions',
  index: 'transactions_listed',
  ledBy: [
    ['session_id', 'transactions_of_session'],
    ['user_reference', 'transactions_of_user'],
    ['status', 'transactions_by_status'],
  ],
};

export const DELIVERIES: Listing = {
  table: 'deliveries',
  index: 'deliveries_listed',
  ledBy: [
    ['event_id', 'deliveries_of_event'],
    ['session_id', 'deliveries_of_session'],
    ['status', 'deliveries_by_status'],
  ],
};

interface RowText {
  readonly row: string;
}

interface ListRequest {
  readonly listing: Listing;
  readonly scope: Scope;
  readonly page: PageRequest;
  readonly conditions: readonly Condition[];
  readonly isCount?: boolean;
}

/** Reads a page along one index. If conditions remain that the index does not cover, the page may have to scan many rows. */
export async function listPage(
  db: Connection,
  slowPages: SlowPageQueue,
  { listing, scope, page, conditions, isCount = false }: ListRequest,
): Promise<readonly RowText[]> {
  const active = conditions.filter(([, value]) => value !== null);
  const led = listing.ledBy.find(([column]) => active.some(([text]) => text === `${column} = ?`));
  const from = `${listing.table} indexed by ${led?.[1] ?? listing.index}`;
  const isLed = ([text]: Condition): boolean =>
    text.startsWith('id ') || (led !== undefined && text === `${led[0]} = ?`);
  // Ids begin with their time, so nearly all rows between two ids match the bounds of time.
  if (active.every((one) => isLed(one) || one[0].startsWith('created_at ')))
    return pageOf<RowText>(db, { from, scope, conditions: active, isCount }, page);

  const found: RowText[] = [];
  const isForward = page.start.kind === 'before';
  let start: PageStart = page.start;
  await slowPages.take((rows) => {
    const end = endOfSlice(db, { from, scope, conditions: active.filter(isLed) }, { start, rows });
    const slice: Condition = [isForward ? 'id <= ?' : 'id >= ?', end];
    const rest = { start, limit: page.limit - found.length };
    found.push(...pageOf<RowText>(db, { from, scope, conditions: [...active, slice], isCount }, rest));
    if (end === null) return true;
    start = { kind: isForward ? 'before' : 'after', id: end };
    return found.length > page.limit;
  });
  return found;
}
