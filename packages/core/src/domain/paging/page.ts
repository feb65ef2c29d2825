/** Where a page starts: after (older than) or before (newer than) an item, or at the newest. */
export type PageStart =
  | { readonly kind: 'newest' }
  | { readonly kind: 'after'; readonly id: string }
  | { readonly kind: 'before'; readonly id: string };

/** The start of a page and its maximum length. */
export interface PageRequest {
  readonly start: PageStart;
  /** 1–100. */
  readonly limit: number;
}

/** Items in list order. `hasMore` is true if the list continues in the direction of the page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** Default number of items on a page. */
export const PAGE_LIMIT_DEFAULT = 10;
/** Maximum number of items on a page. */
export const PAGE_LIMIT_MAX = 100;

/**
 * Cuts a page from rows of which the store read one more than the limit. Lists are newest first; rows before a cursor are read nearest
 * first and reversed, so both directions have the same order.
 */
export function cutPage<Item>(rows: readonly Item[], request: PageRequest): Page<Item> {
  const items = rows.slice(0, request.limit);
  return { items: request.start.kind === 'before' ? items.reverse() : items, hasMore: rows.length > request.limit };
}
