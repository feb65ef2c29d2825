import { err, ok, type Result } from 'neverthrow';

/**
 * A JSON value as text. Metadata, which is echoed verbatim, and event bodies, which are frozen, stay text from the moment they are read or
 * rendered, so no parser can reorder their keys or round their numbers. `Shape` is the parsed type. It exists only for the compiler, which
 * uses it to hold a renderer to its announced type.
 */
export type JsonText<Shape = unknown> = string & { readonly __brand: 'JsonText'; readonly __shape?: Shape };

/** JSON values other than arrays and objects. */
type JsonPrimitive = string | number | boolean | null;

/** Any JSON value. */
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonMembers;

/** Whether the value is an object and not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a JSON object. */
export type JsonMembers = { readonly [key: string]: JsonValue };

/** An object supplied by the partner: opaque, returned as it was written. */
export type Opaque = Readonly<Record<string, unknown>>;

type ShapeOf<Text> = Text extends JsonText<infer Shape> ? Shape : never;

/** The wire shape of a renderer: `Rendered<typeof sessionResource>` is the session resource. */
export type Rendered<Renderer extends (...given: never[]) => JsonText> = ShapeOf<ReturnType<Renderer>>;

/** Serializes a value built by this code, which contains only JSON types. */
export function toJsonText<const Value extends JsonValue>(value: Value): JsonText<Value> {
  return JSON.stringify(value) as JsonText<Value>;
}

/** Restores the type of text whose shape was checked before it was stored. */
export function knownAs<Shape>(text: JsonText): JsonText<Shape> {
  return text as JsonText<Shape>;
}

/** Renders an object and appends the `raw` members verbatim. */
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

/** Appends members to an object without parsing it. */
export function withMembers<Shape, const Members extends JsonMembers>(
  object: JsonText<Shape>,
  members: Members,
): JsonText<Shape & Members> {
  const more = JSON.stringify(members).slice(1);
  if (more === '}') return knownAs(object);
  if (HAS_NO_MEMBERS.test(object)) return `{${more}` as JsonText<Shape & Members>;
  return `${object.slice(0, -1)},${more}` as JsonText<Shape & Members>;
}

/** Partners may send whitespace between the braces. */
const HAS_NO_MEMBERS = /^\{[ \t\n\r]*\}$/;

/** Joins JSON texts into an array. */
export function jsonArray<Item>(items: readonly JsonText<Item>[]): JsonText<readonly Item[]> {
  return `[${items.join(',')}]` as JsonText<readonly Item[]>;
}

/** Why a body is rejected: invalid JSON, nested too deeply, or NUL characters or lone surrogates. */
type JsonProblem = 'malformed' | 'too_deep' | 'bad_characters';

/** A parsed request body: its value, its members as written, and its canonical form. */
export interface JsonDocument {
  readonly value: JsonValue;
  /** Text of each member of a top-level object, without surrounding whitespace. */
  readonly members: ReadonlyMap<string, JsonText>;
  /** Sorted keys, no whitespace, numbers as written: equal for equivalent bodies. */
  readonly canonical: string;
}

/**
 * Parses JSON text within limits. NUL characters and lone surrogates are refused in every string, including keys, because stores handle
 * them differently.
 */
export function readJson(text: string, depthMax: number): Result<JsonDocument, JsonProblem> {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return err('malformed');
  }
  const reader = new CanonicalReader(text, depthMax);
  const canonical = reader.read();
  if (reader.isTooDeep) return err('too_deep');
  if (reader.sawBadCharacters || hasBadCharacters(text)) return err('bad_characters');
  return ok({ value, members: reader.members, canonical });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** Index of the closing quote of the string that opens at `at`. */
function endOfString(text: string, at: number): number {
  for (let index = at + 1; ; index += 1) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index += 1;
    else if (code === QUOTE) return index;
  }
}

/** Reads text that is known to be valid JSON. Stops at the maximum depth, which bounds recursion. */
class CanonicalReader {
  readonly members = new Map<string, JsonText>();
  sawBadCharacters = false;
  isTooDeep = false;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly depthMax: number,
  ) {}

  read(): string {
    return this.value(0);
  }

  private value(depth: number): string {
    this.skipSpace();
    const code = this.text.charCodeAt(this.at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (depth >= this.depthMax) return this.giveUp();
      return code === OPEN_BRACE ? this.object(depth) : this.array(depth);
    }
    if (code === QUOTE) return canonicalString(this.token());
    return this.literal();
  }

  private giveUp(): string {
    this.isTooDeep = true;
    return '';
  }

  private object(depth: number): string {
    // A repeated key keeps its last value, as in JSON.parse.
    const parts = new Map<string, string>();
    this.at += 1;
    this.skipSpace();
    while (!this.isTooDeep && this.text.charCodeAt(this.at) !== CLOSE_BRACE) {
      const key = decoded(this.token());
      this.skipSpace();
      this.at += 1; // the colon
      this.skipSpace();
      const from = this.at;
      parts.set(key, this.value(depth + 1));
      if (depth === 0) this.members.set(key, this.text.slice(from, this.at) as JsonText);
      this.skipSpace();
      if (this.text.charCodeAt(this.at) === COMMA) this.at += 1;
      this.skipSpace();
    }
    this.at += 1;
    const keys = [...parts.keys()].sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${parts.get(key) ?? ''}`).join(',')}}`;
  }

  private array(depth: number): string {
    const items: string[] = [];
    this.at += 1;
    this.skipSpace();
    while (!this.isTooDeep && this.text.charCodeAt(this.at) !== CLOSE_BRACKET) {
      items.push(this.value(depth + 1));
      this.skipSpace();
      if (this.text.charCodeAt(this.at) === COMMA) this.at += 1;
      this.skipSpace();
    }
    this.at += 1;
    return `[${items.join(',')}]`;
  }

  /** A string exactly as in the text, quotes and escapes included. */
  private token(): string {
    const end = endOfString(this.text, this.at);
    const token = this.text.slice(this.at, end + 1);
    this.at = end + 1;
    // A token without escapes was covered by the check of the whole text.
    if (token.includes('\\') && hasBadCharacters(JSON.parse(token) as string)) this.sawBadCharacters = true;
    return token;
  }

  private literal(): string {
    const from = this.at;
    while (this.at < this.text.length && !endsLiteral(this.text.charCodeAt(this.at))) this.at += 1;
    return this.text.slice(from, this.at);
  }

  private skipSpace(): void {
    while (isSpace(this.text.charCodeAt(this.at))) this.at += 1;
  }
}

function decoded(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}

/** Normalizes escapes; a token without escapes is already canonical. */
function canonicalString(token: string): string {
  return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endsLiteral(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);
}

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Detects NUL characters and lone surrogates, which stores handle differently. */
export function hasBadCharacters(text: string): boolean {
  return text.includes('\u0000') || (SURROGATE.test(text) && LONE_SURROGATE.test(text));
}

/**
 * Replaces NUL and lone surrogates in every string with U+FFFD, so that all stores accept the value and store it identically. Used for
 * values from the host's own adapters: a replaced character is better than a lost report.
 */
export function storable<Value>(value: Value): Value {
  // Plain data is rebuilt member by member, so the shape does not change.
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
