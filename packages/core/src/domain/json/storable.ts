import { hasBadCharacters } from './read-json.js';

/**
 * The value with every text such that all stores take it, and take it alike: NUL and lone surrogates become U+FFFD. For what comes from
 * adapters of a host's own; losing a character beats losing the news it is in.
 */
export function storable<Value>(value: Value): Value {
  // Plain data is rebuilt member by member: what comes out has the shape of what went in.
  return rebuilt(value) as Value;
}

function rebuilt(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(rebuilt);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rebuilt(member)]));
}

function storableText(text: string): string {
  return hasBadCharacters(text) ? text.replace(BAD, '\ufffd') : text;
}

const BAD = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
