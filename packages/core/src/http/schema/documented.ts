import * as z from 'zod';

/**
 * What the OpenAPI document says of a schema beyond what zod can show: a checked form's pattern, a name, an example. A registry of
 * our own, for a host that uses zod too shares the global one with every library.
 */
export const DOCUMENTED = z.registry<Readonly<Record<string, unknown>>>();

export function documented<Schema extends z.ZodType>(schema: Schema, says: Readonly<Record<string, unknown>>): Schema {
  DOCUMENTED.add(schema, says);
  return schema;
}
