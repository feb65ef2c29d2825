import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { hasBadCharacters, isRecord, type JsonDocument, type JsonText } from '../../domain/json.js';
import {
  DOCUMENT_BYTES_MAX,
  DOCUMENT_MEDIA_TYPES,
  type DocumentMediaType,
} from '../../domain/intent/identity-document.js';
import type { Mode } from '../../domain/mode.js';
import type { FieldError } from '../../domain/refusal.js';
import { optional, type Read, readFields } from './fields.js';
import { documented } from './members.js';

/** Maximum size of `metadata` in bytes, as sent. */
const METADATA_BYTES_MAX = 16 * 1024;

/** The query of an endpoint. */
export interface QueryType<Query, Input = unknown> {
  /** By name, in the order of their errors; null if the caller controls the URL and anything is accepted. */
  readonly parameters: Parameters | null;
  readonly read: (query: URLSearchParams) => Read<Query>;
  /** The query type for in-process callers; exists only for the compiler. */
  readonly __input?: Input;
}

type Parameters = Readonly<Record<string, z.ZodType>>;

/** Query values are text, except `limit` for in-process callers. */
type InputOf<Shape extends Parameters> = {
  readonly [Name in keyof Shape]?: Name extends 'limit' ? number : z.input<Shape[Name]>;
};

type Values<Shape extends Parameters> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> };

/** A query without parameters. */
export const noQuery = queryOf({}, () => null);

/** For endpoints whose URL the caller controls. */
export const anyQuery: QueryType<null, null> = { parameters: null, read: () => ok(null) };

/**
 * A query with the given parameters: each at most once unless its schema is an array, and no unknown ones. `check` validates combinations.
 */
export function queryOf<const Shape extends Parameters, Query>(
  parameters: Shape,
  to: (values: Values<Shape>) => Query,
  check: (values: Values<Shape>) => readonly FieldError[] = () => [],
): QueryType<Query, InputOf<Shape>> {
  const declared = Object.entries(parameters).map(([name, schema]) => ({
    name,
    schema: z.object({ [name]: schema }),
    isMany: takesMany(schema),
    isCursor: schema === cursor,
  }));
  return {
    parameters,
    read: (query) => {
      const errors: FieldError[] = [];
      const values: Record<string, unknown> = {};
      for (const parameter of declared) values[parameter.name] = readParameter(parameter, query, errors);
      // Each declared name was read by its own schema above.
      const known = values as Values<Shape>;
      errors.push(...check(known), ...unknownParameters(query, parameters));
      return errors.length === 0 ? ok(to(known)) : err(errors);
    },
  };
}

interface Declared {
  readonly name: string;
  /** An object with this one member, so that errors name it. */
  readonly schema: z.ZodType<Readonly<Record<string, unknown>>>;
  readonly isMany: boolean;
  readonly isCursor: boolean;
}

/** Reads the value with its schema; adds problems to `errors`. */
function readParameter(
  { name, schema, isMany, isCursor }: Declared,
  query: URLSearchParams,
  errors: FieldError[],
): unknown {
  const given = query.getAll(name);
  if (given.length > 1 && !isMany) errors.push(fieldError(name, 'repeated', 'must be given at most once'));
  if (!isCursor && given.some(hasBadCharacters))
    errors.push(fieldError(name, 'invalid', 'must not contain NUL characters'));
  const read = readFields(schema, given.length === 0 ? {} : { [name]: isMany ? given : given[0] });
  if (read.isOk()) return read.value[name];
  errors.push(...read.error);
  return undefined;
}

/** The id at which a page starts. A value that no store accepts is handled like an unknown id, not as an error. */
export const cursor = z.string().optional();

function takesMany(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodArray) return true;
  if (!(schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)) return false;
  const inner: unknown = schema.unwrap();
  return inner instanceof z.ZodType && takesMany(inner);
}

function unknownParameters(query: URLSearchParams, parameters: Parameters): readonly FieldError[] {
  if (query.size === 0) return [];
  return [...new Set(query.keys())]
    .filter((name) => !Object.hasOwn(parameters, name))
    .map((name) => fieldError(name, 'unknown_parameter', 'is not a parameter of this request'));
}

export function fieldError(field: string, code: string, message: string): FieldError {
  return { field, code, message: `${field} ${message}` };
}

export interface BodyInput {
  readonly document: JsonDocument;
  readonly mode: Mode;
}

/** The body of an endpoint. */
export type BodyType<Body, Given = unknown> = JsonBody<Body, Given> | PlainBody<Body> | FileBody<Body>;

/** A closed JSON object. If all its fields are optional, the body may be empty. */
export interface JsonBody<Body, Given = unknown> {
  readonly kind: 'json';
  readonly name: string;
  readonly schema: z.ZodType;
  readonly read: (input: BodyInput) => Read<Body>;
  /** The body type for in-process callers; exists only for the compiler. */
  readonly __given?: Given;
}

export interface PlainBody<Body> {
  readonly kind: 'none' | 'raw';
  /** Exists only for the compiler. */
  readonly __body?: Body;
}

/** The bytes of one file, read only after its sender has been checked. */
interface FileBody<Body> {
  readonly kind: 'file';
  readonly bytesMax: number;
  readonly mediaTypes: readonly string[];
  /** Exists only for the compiler. */
  readonly __body?: Body;
}

/** A file whose declared media type matches its first bytes. */
export interface SentFile {
  readonly mediaType: DocumentMediaType;
  readonly bytes: Uint8Array;
  /** Registers work that may outlast the request and still holds the bytes; they count towards the limit until it has ended. */
  readonly heldBy: (work: Promise<unknown>) => void;
}

/** An image of an identity document. */
export const documentBody: FileBody<SentFile> = {
  kind: 'file',
  bytesMax: DOCUMENT_BYTES_MAX,
  mediaTypes: DOCUMENT_MEDIA_TYPES,
};

/** An empty body, or `{}`. */
export const noBody: PlainBody<null> = { kind: 'none' };

/** The raw bytes, for the use case to authenticate. */
export const rawBody: PlainBody<Uint8Array> = { kind: 'raw' };

/** Documentation of a body: a description and an example. */
interface BodyDescription<Schema extends z.ZodType> {
  readonly description: string;
  readonly example: z.input<Schema>;
}

/** A body with a schema; `to` converts its fields to the application's names. */
export function jsonBody<Schema extends z.ZodType, Body>(
  name: string,
  schema: Schema,
  { to, ...said }: BodyDescription<Schema> & { readonly to: (fields: z.output<Schema>) => Body },
): JsonBody<Body, z.input<Schema>> {
  return bodyReadBy(name, schema, { ...said, read: ({ document }) => readFields(schema, document.value).map(to) });
}

/** A body with checks beyond its schema, all made by `read`. */
export function bodyReadBy<Schema extends z.ZodType, Body>(
  name: string,
  schema: Schema,
  { description, example, read }: BodyDescription<Schema> & { readonly read: (input: BodyInput) => Read<Body> },
): JsonBody<Body, z.input<Schema>> {
  return { kind: 'json', name, schema: documented(schema, { id: name, description, examples: [example] }), read };
}

/** Opaque: must be an object; its text is echoed. */
export const metadataField = optional(
  documented(z.custom<object>(isRecord, { error: 'must be an object', params: { code: 'invalid_type' } }), {
    type: 'object',
    description: 'At most 16 KiB of JSON, returned verbatim.',
  }),
);

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

/** Renames fields from snake_case to camelCase: `return_url` becomes `returnUrl`. */
export function camelCased<Fields extends object>(
  fields: Fields,
): { readonly [Name in keyof Fields as CamelCase<Name>]: Fields[Name] } {
  const renamed = Object.entries(fields).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value as unknown,
  ]);
  // The type renames the keys in the same way.
  return Object.fromEntries(renamed) as ReturnType<typeof camelCased<Fields>>;
}

interface ReadMetadata {
  /** As sent; `{}` if absent or null. */
  readonly text: JsonText;
  readonly errors: readonly FieldError[];
}

export function readMetadata({ document }: BodyInput): ReadMetadata {
  const text = document.members.get('metadata') ?? null;
  if (text === null || text === 'null') return { text: EMPTY, errors: [] };
  const isShort =
    text.length * 3 <= METADATA_BYTES_MAX || new TextEncoder().encode(text).byteLength <= METADATA_BYTES_MAX;
  const message = `metadata may have at most ${METADATA_BYTES_MAX} bytes`;
  return { text, errors: isShort ? [] : [{ field: 'metadata', code: 'too_long', message }] };
}

const EMPTY = '{}' as JsonText;
