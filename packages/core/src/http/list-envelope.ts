import type { Page } from '../domain/paging/page.js';
import { jsonArray, type JsonText } from '../domain/json/json-text.js';

/** The list envelope; `url` is the path without query. */
export function listEnvelope<Item>(page: Page<Item>, path: string, resource: (item: Item) => JsonText): JsonText {
  const data = jsonArray(page.items.map(resource));
  return `{"object":"list","data":${data},"has_more":${page.hasMore},"url":${JSON.stringify(path)}}` as JsonText;
}
