/** Where a page starts: after (older than) or before (newer than) an item, or at the newest. */
export type PageStart =
  | { readonly kind: 'newest' }
  | { readonly kind: 'after'; readonly id: string }
  | { readonly kind: 'before'; readonly id: string };

/** Where a page begins, and how long it may be. */
export interface PageRequest {
  readonly start: PageStart;
  /** 1–100. */
  readonly limit: number;
}

/** Items in the order of the list; `hasMore`: it goes on. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** Items of a page that did not ask for a number. */
export const PAGE_LIMIT_DEFAULT = 10;
/** Items that a page may have. */
export const PAGE_LIMIT_MAX = 100;

/**
 * Cuts a page from rows that a store read one beyond the limit. Newest first; a page before a
 * cursor is read nearest first and turned round, so both directions show the same order.
 */
export function cutPage<Item>(rows: readonly Item[], request: PageRequest): Page<Item> {
  const items = rows.slice(0, request.limit);
  return { items: request.start.kind === 'before' ? items.reverse() : items, hasMore: rows.length > request.limit };
}
