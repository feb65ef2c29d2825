import * as z from 'zod';
import { DOCUMENTED } from '../schema/documented.js';
import { describeMembers } from './describe-members.js';
import type { JsonSchema } from './json-schema.js';

/** Schemas as a document holds them: named ones apart, under `components`, and each place that means one refers to it. */
export interface JsonSchemas {
  /** A reference where the schema has a name, else the schema itself. */
  of(schema: z.ZodType): JsonSchema;
  /** Those that something has referred to, by name. */
  named(): Readonly<Record<string, JsonSchema>>;
}

const PLACE = '#/components/schemas/';

/**
 * `closed` schemas take no member that they do not name: bodies always, and answers where ours are put to the test. What clients are
 * told of answers is open, for they ignore what they do not know (spec: Versioning 2).
 */
export function jsonSchemas(io: 'input' | 'output', closed: boolean): JsonSchemas {
  const found = new Map<string, JsonSchema>();
  const finish = (schema: unknown): JsonSchema => plain(schema, closed);
  return {
    of: (schema) => {
      const { $defs, ...whole } = convert(schema, io);
      for (const [name, { id: _, ...one }] of Object.entries($defs ?? {})) found.set(name, finish(one));
      // A named schema is among its own definitions, and refers to itself.
      return finish(whole);
    },
    named: () =>
      Object.fromEntries(
        [...found]
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, schema]) => [name, describeMembers(schema, [name])]),
      ),
  };
}

function convert(schema: z.ZodType, io: 'input' | 'output') {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    metadata: DOCUMENTED,
    // What zod cannot say of a check of our own, `documented` has said.
    unrepresentable: ({ zodSchema }) => (DOCUMENTED.has(zodSchema) ? 'any' : 'throw'),
  });
}

/** Without what only zod needs, its references turned to `components`. */
function plain(schema: unknown, closed: boolean): JsonSchema {
  // JSON.parse answers whatever the text holds; here that is the schema just written.
  return JSON.parse(JSON.stringify(schema), (keyword, value: unknown) => {
    if (keyword === '$schema' || keyword === '~standard') return undefined;
    if (keyword === '$ref' && typeof value === 'string') return value.replace('#/$defs/', PLACE);
    if (keyword === 'additionalProperties' && value === false && !closed) return undefined;
    return value;
  }) as JsonSchema;
}
