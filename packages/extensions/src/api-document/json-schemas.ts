import { isRecord } from '@gateramp/core/domain';
import { DOCUMENTED } from '@gateramp/core/extension';
import * as z from 'zod';
import { MEMBER_DESCRIPTIONS } from './member-descriptions.js';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Adds descriptions to all members without one. `parents` are the names of the enclosing schemas, outermost first. */
export function describeMembers(schema: JsonSchema, parents: readonly string[]): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties' && isRecord(value)) return [keyword, describeProperties(value, parents)];
      if (NESTED.has(keyword) && Array.isArray(value))
        return [keyword, value.map((one: unknown) => (isRecord(one) ? describeMembers(one, parents) : one))];
      if (NESTED.has(keyword) && isRecord(value)) return [keyword, describeMembers(value, parents)];
      return [keyword, value];
    }),
  );
}

/** The description of a member or parameter; `undefined` if the table has none. */
export function descriptionOf(name: string, parents: readonly string[]): string | undefined {
  const qualified = parents.map((_, depth) => [...parents.slice(depth), name].join('.'));
  return [...qualified, name].map((key) => MEMBER_DESCRIPTIONS[key]).find((text) => text !== undefined);
}

/** Keywords whose values are schemas of the same object, or of its items. */
const NESTED: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'items', 'additionalProperties']);

function describeProperties(properties: JsonSchema, parents: readonly string[]): JsonSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => {
      if (!isRecord(member)) return [name, member];
      const described = describeMembers(member, [...parents, name]);
      const description = described['description'] ?? descriptionOf(name, parents);
      return [name, description === undefined ? described : { ...described, description }];
    }),
  );
}

/** Schemas of a document: named ones are stored under `components` and referenced. */
export interface JsonSchemas {
  /** A reference if the schema has a name, otherwise the schema itself. */
  of(schema: z.ZodType): JsonSchema;
  /** The referenced schemas, by name. */
  named(): Readonly<Record<string, JsonSchema>>;
}

const COMPONENTS = '#/components/schemas/';

/**
 * `closed` schemas allow no unlisted members. Bodies are always closed; replies only when tests validate them. For clients, replies are
 * open, because clients must ignore unknown members (spec: Versioning 2).
 */
export function jsonSchemas(io: 'input' | 'output', closed: boolean): JsonSchemas {
  const found = new Map<string, JsonSchema>();
  const finish = (schema: unknown): JsonSchema => plain(schema, closed);
  return {
    of: (schema) => {
      const { $defs, ...whole } = convert(schema, io);
      for (const [name, { id: _, ...one }] of Object.entries($defs ?? {})) found.set(name, finish(one));
      // A named schema is part of its own definitions and refers to itself.
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
    // Checks that zod cannot represent were described by `documented`.
    unrepresentable: ({ zodSchema }) => (DOCUMENTED.has(zodSchema) ? 'any' : 'throw'),
  });
}

/** Removes zod-specific keywords and points references to `components`. */
function plain(schema: unknown, closed: boolean): JsonSchema {
  // The parsed text is the schema serialized here.
  return JSON.parse(JSON.stringify(schema), (keyword, value: unknown) => {
    if (keyword === '$schema' || keyword === '~standard') return undefined;
    if (keyword === '$ref' && typeof value === 'string') return value.replace('#/$defs/', COMPONENTS);
    if (keyword === 'additionalProperties' && value === false && !closed) return undefined;
    return value;
  }) as JsonSchema;
}
