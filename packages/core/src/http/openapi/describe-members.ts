import type { JsonSchema } from './json-schema.js';
import { MEMBER_DESCRIPTIONS } from './member-descriptions.js';

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
