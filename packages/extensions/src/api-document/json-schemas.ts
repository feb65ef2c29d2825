import { isRecord } from '@gateramp/core/domain';
import { DOCUMENTED } from '@gateramp/core/extension';
import * as z from 'zod';
import { MEMBER_DESCRIPTIONS } from './member-descriptions.js';

/** A JSON Schema, or another object of an OpenAPI document. */
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
  /** The schema itself, even if it has a name. */
  whole(schema: z.ZodType): JsonSchema;
  /** The referenced schemas, by name. */
  named(): Readonly<Record<string, JsonSchema>>;
}

const COMPONENTS = '#/components/schemas/';

/** How schemas are rendered. */
export interface JsonSchemaOptions {
  /**
   * Whether unlisted members are excluded. Bodies are always closed; replies only when tests validate them. For clients, replies are open,
   * because clients must ignore unknown members (spec: Versioning 2).
   */
  readonly closed: boolean;
  /** Where schemas have their names and descriptions. By default that of `/v1`, whose members are described by name as well. */
  readonly metadata?: z.core.$ZodRegistry<Readonly<Record<string, unknown>>>;
}

/** Renders the schemas of requests (`input`) or responses (`output`) as JSON Schema. */
export function jsonSchemas(io: 'input' | 'output', { closed, metadata = DOCUMENTED }: JsonSchemaOptions): JsonSchemas {
  const found = new Map<string, JsonSchema>();
  const component = (name: string, { id: _, ...schema }: JsonSchema): JsonSchema =>
    metadata === DOCUMENTED ? describeMembers(plain(schema, closed), [name]) : plain(schema, closed);
  const convert = (schema: z.ZodType, isStored: (name: string) => boolean) => {
    const { $defs = {}, ...root } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      metadata,
      // Checks that zod cannot represent are described by the metadata.
      unrepresentable: ({ zodSchema }) => (metadata.has(zodSchema) ? 'any' : 'throw'),
    });
    for (const [name, one] of Object.entries($defs))
      if (isStored(name) && !found.has(name)) found.set(name, component(name, one));
    return { root, definitions: $defs };
  };
  return {
    // A named schema is part of its own definitions and refers to itself.
    of: (schema) => plain(convert(schema, () => true).root, closed),
    whole: (schema) => {
      const own = metadata.get(schema)?.['id'];
      const { root, definitions } = convert(schema, (name) => name !== own);
      return typeof own === 'string' ? component(own, definitions[own] ?? root) : plain(root, closed);
    },
    named: () => Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
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
