import * as z from 'zod';

/** Schemas that several endpoints share. */
export const TIME = z.iso.datetime();

export const MODE = z.enum(['test', 'live']);

export const ACTOR = z.object({ type: z.string(), id: z.string() });

/** A list that has all there is, in the envelope of lists. */
export function listOf(item: z.ZodType) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.boolean(),
    url: z.string(),
  });
}

export function list<Item>(data: readonly Item[], url: string, hasMore = false) {
  return { object: 'list', data, has_more: hasMore, url } as const;
}

export function isoOrNull(instant: number | null | undefined): string | null {
  return instant === null || instant === undefined ? null : new Date(instant).toISOString();
}
