import * as z from 'zod';

/** Schemas that several endpoints share. */
export const TIME = z.iso.datetime();

export const MODE = z.enum(['test', 'live']);

const PERSON = z.object({
  type: z.string(),
  id: z.string(),
  access_id: z
    .string()
    .nullable()
    .describe('The access to the console through which they act; null outside of it, and in earlier entries.'),
});

export const ACTOR = PERSON.extend({
  vouched_by: PERSON.nullable().describe('Who let this person in; null if it was the host.'),
}).meta({ id: 'Actor', description: 'Who made a change. People with the same name have different accesses.' });

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
