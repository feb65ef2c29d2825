/**
 * A JSON value as text. What is echoed verbatim (metadata) or frozen (event bodies) stays text from
 * the moment it is read or made, so no parser can reorder its keys or round its numbers. `Shape` is what
 * it would parse to: it exists for the compiler alone, so that a renderer and what it is announced as cannot differ.
 */
export type JsonText<Shape = unknown> = string & { readonly __brand: 'JsonText'; readonly __shape?: Shape };

/** What JSON has besides arrays and objects. */
export type JsonPrimitive = string | number | boolean | null;

/** Anything JSON can say. */
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonMembers;

/** The members of a JSON object. */
export type JsonMembers = { readonly [key: string]: JsonValue };

/** An object of the partner's own: opaque, returned as it was written. */
export type Opaque = Readonly<Record<string, unknown>>;

type ShapeOf<Text> = Text extends JsonText<infer Shape> ? Shape : never;

/** Serialises a value that we made ourselves, so it holds nothing JSON cannot. */
export function toJsonText<const Value extends JsonValue>(value: Value): JsonText<Value> {
  return JSON.stringify(value) as JsonText<Value>;
}

/** Text that was held to this shape before it was kept. */
export function knownAs<Shape>(text: JsonText): JsonText<Shape> {
  return text as JsonText<Shape>;
}

/** An object whose `raw` members are spliced in as they are, after the others. */
export function jsonObject<const Members extends JsonMembers, Raw extends Readonly<Record<string, JsonText>>>(
  members: Members,
  raw: Raw,
): JsonText<Members & { readonly [Key in keyof Raw]: ShapeOf<Raw[Key]> }> {
  let text = JSON.stringify(members).slice(0, -1);
  for (const key of Object.keys(raw)) {
    const value = raw[key];
    if (value === undefined) continue;
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${value}`;
  }
  return `${text}}` as ReturnType<typeof jsonObject<Members, Raw>>;
}

/** The same object with more members at its end; neither side is parsed. */
export function withMembers<Shape, const Members extends JsonMembers>(
  object: JsonText<Shape>,
  members: Members,
): JsonText<Shape & Members> {
  const more = JSON.stringify(members).slice(1);
  if (more === '}') return knownAs(object);
  if (HAS_NO_MEMBERS.test(object)) return `{${more}` as JsonText<Shape & Members>;
  return `${object.slice(0, -1)},${more}` as JsonText<Shape & Members>;
}

/** A partner may have written space between the braces. */
const HAS_NO_MEMBERS = /^\{[ \t\n\r]*\}$/;

/** Texts that are JSON already, as the array of them. */
export function jsonArray<Item>(items: readonly JsonText<Item>[]): JsonText<readonly Item[]> {
  return `[${items.join(',')}]` as JsonText<readonly Item[]>;
}
