import * as z from 'zod';
import { DOCUMENTED } from '../schema/members.js';
import { MEMBER_DESCRIPTIONS } from './member-descriptions.js';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** The schema with a description on every member that has none. `parents` are the names it is found under, outermost first. */
export function describeMembers(schema: JsonSchema, parents: readonly string[]): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties' && isSchema(value)) return [keyword, describeProperties(value, parents)];
      if (NESTED.has(keyword) && Array.isArray(value))
        return [keyword, value.map((one: unknown) => (isSchema(one) ? describeMembers(one, parents) : one))];
      if (NESTED.has(keyword) && isSchema(value)) return [keyword, describeMembers(value, parents)];
      return [keyword, value];
    }),
  );
}

/** What the member or parameter of this name means; `undefined` if the table does not have it. */
export function descriptionOf(name: string, parents: readonly string[]): string | undefined {
  const qualified = parents.map((_, depth) => [...parents.slice(depth), name].join('.'));
  return [...qualified, name].map((key) => MEMBER_DESCRIPTIONS[key]).find((text) => text !== undefined);
}

/** Keywords whose values are schemas of the same object, or of its items. */
const NESTED: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'items', 'additionalProperties']);

function describeProperties(properties: JsonSchema, parents: readonly string[]): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => {
      if (!isSchema(member)) return [name, member];
      const described = describeMembers(member, [...parents, name]);
      const description = described['description'] ?? descriptionOf(name, parents);
      return [name, description === undefined ? described : { ...described, description }];
    }),
  );
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
