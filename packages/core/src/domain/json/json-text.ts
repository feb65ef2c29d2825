/**
 * A JSON value as text. What is echoed verbatim (metadata) or frozen (event bodies) stays text from
 * the moment it is read or made, so no parser can reorder its keys or round its numbers.
 */
export type JsonText = string & { readonly __brand: 'JsonText' };

export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Serialises a value that we made ourselves, so it holds nothing JSON cannot. */
export function toJsonText(value: JsonValue): JsonText {
  return JSON.stringify(value) as JsonText;
}

/** An object whose `raw` members are spliced in as they are, after the others. */
export function jsonObject(
  members: { readonly [key: string]: JsonValue },
  raw: { readonly [key: string]: JsonText },
): JsonText {
  let text = JSON.stringify(members).slice(0, -1);
  for (const key of Object.keys(raw)) {
    const value = raw[key];
    if (value === undefined) continue;
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${value}`;
  }
  return `${text}}` as JsonText;
}

/** The same object with more members at its end; neither side is parsed. */
export function withMembers(object: JsonText, members: { readonly [key: string]: JsonValue }): JsonText {
  const more = JSON.stringify(members).slice(1);
  if (more === '}') return object;
  if (HAS_NO_MEMBERS.test(object)) return `{${more}` as JsonText;
  return `${object.slice(0, -1)},${more}` as JsonText;
}

/** A partner may have written space between the braces. */
const HAS_NO_MEMBERS = /^\{[ \t\n\r]*\}$/;

export function jsonArray(items: readonly JsonText[]): JsonText {
  return `[${items.join(',')}]` as JsonText;
}
