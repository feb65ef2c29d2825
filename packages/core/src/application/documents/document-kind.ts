import type { Instant } from '../../domain/instant.js';
import { type JsonValue, toJsonText } from '../../domain/json.js';
import type { Scope } from '../../domain/mode.js';
import type { PageRequest } from '../../domain/paging/page.js';
import type { RailKind, RailPayment } from '../../domain/rails/rail-payment.js';
import type { RowWrite } from '../../ports/change.js';
import type { Document, DocumentFilter } from '../../ports/rows.js';
import type { StoreReads } from '../../ports/store.js';

/** The fields a domain row needs to be stored as a document. */
export interface DocumentRow extends Scope {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Instant;
}

/** A noun stored as documents: the domain's row is the body, and stores see only the columns for look-ups and lists. */
export interface DocumentKind<Row extends DocumentRow> {
  readonly noun: string;
  /** The group the row is listed under; must never change for a row. Null by default. */
  readonly groupOf?: (row: Row) => string | null;
  /** When the row's retention ends; never by default. */
  readonly keepUntilOf?: (row: Row) => Instant | null;
}

/** Pay-ins and pay-outs are kept permanently, like sessions. */
export const RAIL_KINDS: Readonly<Record<RailKind, DocumentKind<RailPayment>>> = {
  pay_in: { noun: 'pay_in' },
  pay_out: { noun: 'pay_out' },
};

/** The write of a row that was decided on `before`; inserts if that is null. */
export function documentWrite<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: Row,
  before: Row | null,
): RowWrite<Document> {
  const version = (before?.version ?? 0) + 1;
  const document: Document = {
    noun: kind.noun,
    partnerId: row.partnerId,
    mode: row.mode,
    id: row.id,
    version,
    group: kind.groupOf?.(row) ?? null,
    createdAt: row.createdAt,
    keepUntil: kind.keepUntilOf?.(row) ?? null,
    // Domain rows are plain data: strings, numbers, booleans and nulls.
    body: toJsonText({ ...row, version } as unknown as JsonValue),
  };
  return { row: document, expectedVersion: before?.version ?? null };
}

/** Like `findRow`, for a noun with a retention: rows past it at `now` are treated as absent, whether or not they were deleted yet. */
export async function findKeptRow<Row extends DocumentRow>(
  store: Pick<StoreReads, 'find'>,
  kind: DocumentKind<Row>,
  scope: Scope,
  id: string,
  now: Instant,
): Promise<Row | null> {
  const document = await store.find('document', scope, kind.noun, id);
  if (document === null || (document.keepUntil !== null && now > document.keepUntil)) return null;
  return rowOf<Row>(document);
}

/** The row with this id; null if there is none. */
export async function findRow<Row extends DocumentRow>(
  store: Pick<StoreReads, 'find'>,
  kind: DocumentKind<Row>,
  scope: Scope,
  id: string,
): Promise<Row | null> {
  const document = await store.find('document', scope, kind.noun, id);
  return document === null ? null : rowOf<Row>(document);
}

/** Up to `limit + 1` rows, in the order of the page. */
export async function listRows<Row extends DocumentRow>(
  store: Pick<StoreReads, 'list'>,
  kind: DocumentKind<Row>,
  scope: Scope,
  page: PageRequest,
  filter: Partial<DocumentFilter> = {},
): Promise<readonly Row[]> {
  const whole: DocumentFilter = { group: null, createdAfter: null, createdBefore: null, ...filter };
  return (await store.list('document', scope, kind.noun, whole, page)).map((document) => rowOf<Row>(document));
}

function rowOf<Row extends DocumentRow>(document: Document): Row {
  // Written by `documentWrite` of the same kind and stored byte for byte.
  return JSON.parse(document.body) as Row;
}
