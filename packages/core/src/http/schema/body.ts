import type * as z from 'zod';
import type { JsonDocument } from '../../domain/json/read-json.js';
import type { Mode } from '../../domain/mode.js';
import type { Policy } from '../../domain/policy.js';
import { documented } from './documented.js';
import { readFields } from './fields.js';
import type { Read } from './read.js';

export interface BodyInput {
  readonly document: JsonDocument;
  readonly mode: Mode;
  readonly policy: Policy;
}

/** What an endpoint takes as its body. */
export type BodyType<Body> = JsonBody<Body> | PlainBody<Body>;

/** A closed JSON object. One whose every field is optional may be left out altogether. */
export interface JsonBody<Body> {
  readonly kind: 'json';
  readonly name: string;
  readonly schema: z.ZodType;
  readonly read: (input: BodyInput) => Read<Body>;
}

export interface PlainBody<Body> {
  readonly kind: 'none' | 'raw';
  /** For the compiler alone. */
  readonly __body?: Body;
}

/** An empty body, or `{}`. */
export const noBody: PlainBody<null> = { kind: 'none' };

/** The bytes as they came, for the use case to authenticate. */
export const rawBody: PlainBody<Uint8Array> = { kind: 'raw' };

/** What documents say of a body: a sentence, and one that could be. */
interface Said<Schema extends z.ZodType> {
  readonly description: string;
  readonly example: z.input<Schema>;
}

/** A body by its schema; `to` puts its fields into the application's words. */
export function jsonBody<Schema extends z.ZodType, Body>(
  name: string,
  schema: Schema,
  { to, ...said }: Said<Schema> & { readonly to: (fields: z.output<Schema>) => Body },
): JsonBody<Body> {
  return bodyReadBy(name, schema, { ...said, read: ({ document }) => readFields(schema, document.value).map(to) });
}

/** A body of which more is checked than its schema: `read` does all of it. */
export function bodyReadBy<Schema extends z.ZodType, Body>(
  name: string,
  schema: Schema,
  { description, example, read }: Said<Schema> & { readonly read: (input: BodyInput) => Read<Body> },
): JsonBody<Body> {
  return { kind: 'json', name, schema: documented(schema, { id: name, description, examples: [example] }), read };
}
