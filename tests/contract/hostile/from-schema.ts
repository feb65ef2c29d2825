import { isRecord } from '@gateramp/core/domain';
import fc from 'fast-check';
import { DOCUMENT, type Members } from '../kit.js';

/** Random values of a schema of the document; references are resolved in its components. */
export function fromSchema(schema: unknown): fc.Arbitrary<unknown> {
  if (!isRecord(schema)) return fc.jsonValue();
  if (typeof schema['$ref'] === 'string') return fromSchema(resolve(schema['$ref']));
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as readonly unknown[]));
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) return fc.oneof(...choices.map(fromSchema));
  switch (schema['type']) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return fc.integer({
        min: numberOf(schema['minimum'], -10),
        max: Math.min(numberOf(schema['maximum'], 100_000), 100_000),
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fromSchema(schema['items']), { maxLength: 3 });
    case 'object':
      return membersOf(schema);
    default:
      return fc.jsonValue();
  }
}

/** An object of the schema: the required members, some others, and often the example's own values, which are more often accepted. */
function membersOf(schema: Members): fc.Arbitrary<unknown> {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const [example] = Array.isArray(schema['examples']) ? (schema['examples'] as readonly unknown[]) : [];
  const shown = isRecord(example) ? example : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const model = Object.entries(properties).map(([name, inner]): [string, fc.Arbitrary<unknown>] => [
    name,
    name in shown
      ? fc.oneof({ weight: 3, arbitrary: fc.constant(shown[name]) }, { weight: 1, arbitrary: fromSchema(inner) })
      : fromSchema(inner),
  ]);
  return fc.record(Object.fromEntries(model), { requiredKeys: required });
}

function textOf(schema: Members): fc.Arbitrary<string> {
  const { pattern } = schema;
  // fast-check cannot generate text for look-ahead patterns; in the document only amounts have one.
  if (typeof pattern === 'string' && /\(\?[=!<]/.test(pattern))
    return fc.constantFrom('100.00', '14.50', '0.01', '7', '0', '1e5');
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'));
  const [least, most] = [numberOf(schema['minLength'], 0), numberOf(schema['maxLength'], 40)];
  return fc.string({ minLength: least, maxLength: Math.max(least, Math.min(most, 40)) });
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function resolve(reference: string): unknown {
  const path = reference.slice('#/'.length).split('/');
  return path.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), DOCUMENT);
}
