import { err, ok, type Result } from 'neverthrow';
import type { JsonText, JsonValue } from './json-text.js';

/** Why a body is not taken: no JSON, nested too deeply, or with NUL characters or lone surrogates. */
export type JsonFault = 'malformed' | 'too_deep' | 'bad_characters';

/** A request body, read once: its value, its members as they were written, and its canonical form. */
export interface JsonDocument {
  readonly value: JsonValue;
  /** Text of each member of a top-level object, without surrounding space. */
  readonly members: ReadonlyMap<string, JsonText>;
  /** Keys sorted, no space, numbers as written: equal for bodies that say the same. */
  readonly canonical: string;
}

/**
 * Reads JSON text within limits. NUL characters and lone surrogates are refused in every string,
 * keys included, because stores disagree about them.
 */
export function readJson(text: string, depthMax: number): Result<JsonDocument, JsonFault> {
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

/** Walks text that is known to be valid JSON, and gives up where it nests too deep: so recursion is bounded. */
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
    // Without an escape the text's own check has seen every character already.
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

/** Two spellings of one string are one; a token without escapes is already canonical. */
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

/** NUL or half a surrogate pair: no two stores agree on what to do with them. */
export function hasBadCharacters(text: string): boolean {
  return text.includes('\u0000') || (SURROGATE.test(text) && LONE_SURROGATE.test(text));
}
