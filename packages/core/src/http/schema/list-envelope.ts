import * as z from 'zod';
import { jsonArray, type JsonText } from '../../domain/json/json-text.js';
import type { Page } from '../../domain/paging/page.js';
import { documented } from './documented.js';
import type { WireType } from './wire-type.js';

/** The list envelope; `url` is the path without query. */
export type List<Item> = {
  readonly object: 'list';
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly url: string;
};

export function listEnvelope<Item, Shape>(
  page: Page<Item>,
  path: string,
  resource: (item: Item) => JsonText<Shape>,
): JsonText<List<Shape>> {
  const data = jsonArray(page.items.map(resource));
  return `{"object":"list","data":${data},"has_more":${page.hasMore},"url":${JSON.stringify(path)}}` as JsonText<
    List<Shape>
  >;
}

/** The list of a resource, as an endpoint names its reply. */
export function listOf<Shape>(item: WireType<Shape>, url: string): WireType<List<Shape>> {
  const example: List<Shape> = { object: 'list', data: [item.example], has_more: false, url };
  const name = `${item.name}List`;
  const schema = z.object({
    object: z.literal('list'),
    data: z.array(item.schema),
    has_more: z.boolean(),
    url: z.string(),
  });
  const description = `A page of \`${item.name}\`. \`has_more\` is true if another page follows.`;
  return { name, schema: documented(schema, { id: name, description, examples: [example] }), example };
}
