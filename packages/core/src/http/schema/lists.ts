import * as z from 'zod';
import { hasBadCharacters, jsonArray, type JsonText } from '../../domain/json.js';
import { type Page, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, type PageRequest } from '../../domain/paging/page.js';
import { isCalendarDay, pattern } from './fields.js';
import { documented, type WireType } from './members.js';
import { cursor, fieldError, queryOf } from './request.js';

/** The list envelope; `url` is the path without the query. */
type List<Item> = {
  readonly object: 'list';
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly url: string;
};

/** A page as a list of the contract: `data`, `has_more` and the path as `url`. */
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

/** The reply type for a list of a resource. */
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

/** The page size; `standard` is the default. Returns a new schema on each call, because documentation is stored per schema. */
export function pageLimit(standard: number) {
  const limit = z
    .string()
    .refine((value) => /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= PAGE_LIMIT_MAX, {
      message: `must be a whole number from 1 to ${PAGE_LIMIT_MAX}`,
      params: { code: 'invalid' },
    })
    .optional();
  return documented(limit, { type: 'integer', minimum: 1, maximum: PAGE_LIMIT_MAX, default: standard });
}

const PAGE = {
  limit: pageLimit(PAGE_LIMIT_DEFAULT),
  starting_after: cursor,
  ending_before: cursor,
} as const;

type Filters = Readonly<Record<string, z.ZodType>>;

/** The query of a list: its own filters plus the page parameters (spec: Session endpoints 5). */
export function listQuery<const Shape extends Filters, Filter>(
  filters: Shape,
  to: (values: { readonly [Name in keyof Shape]: z.output<Shape[Name]> }) => Filter,
) {
  return queryOf(
    { ...filters, ...PAGE },
    (values) => ({ filter: to(values), page: pageOf(values) }),
    ({ starting_after: after, ending_before: before }) =>
      after === undefined || before === undefined
        ? []
        : [fieldError('ending_before', 'invalid', 'cannot be combined with starting_after')],
  );
}

function pageOf(values: {
  readonly limit: string | undefined;
  readonly starting_after: string | undefined;
  readonly ending_before: string | undefined;
}): PageRequest {
  const limit = values.limit === undefined ? PAGE_LIMIT_DEFAULT : Number(values.limit);
  if (values.starting_after !== undefined) return { limit, start: { kind: 'after', id: idOf(values.starting_after) } };
  if (values.ending_before !== undefined) return { limit, start: { kind: 'before', id: idOf(values.ending_before) } };
  return { limit, start: { kind: 'newest' } };
}

/**
 * An id from a cursor or an in-process call. Values that are not text, or that no store accepts, become the empty id, which matches
 * nothing.
 */
export function idOf(text: string): string {
  return typeof text !== 'string' || hasBadCharacters(text) ? '' : text;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
const TIME_FORM = 'must be an ISO-8601 time such as 2030-01-31T12:00:00Z';

/** An ISO-8601 time with an offset, or a date; parsed to an instant. */
export const instant = pattern(ISO_TIME, TIME_FORM)
  .refine((value) => !ISO_TIME.test(value) || isTime(value), { message: TIME_FORM, params: { code: 'invalid_format' } })
  .transform((value) => Date.parse(value));

function isTime(value: string): boolean {
  return isCalendarDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value));
}
