import * as z from 'zod';
import { FAILURE_CODES, PAYMENT_METHODS, STAGES } from '../../domain/intent/intent.js';
import type { JsonText, Opaque } from '../../domain/json.js';
import { MODES } from '../../domain/mode.js';
import { FLOWS } from '../../domain/session/terms.js';

/**
 * What the OpenAPI document says of a schema beyond what zod can show: a checked form's pattern, a name, an example. A registry of
 * our own, for a host that uses zod too shares the global one with every library.
 */
export const DOCUMENTED = z.registry<Readonly<Record<string, unknown>>>();

export function documented<Schema extends z.ZodType>(schema: Schema, says: Readonly<Record<string, unknown>>): Schema {
  DOCUMENTED.add(schema, says);
  return schema;
}

/** Members that many resources share, as answers hold them. */
export const time = documented(z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), { format: 'date-time' });
export const decimal = z.string().regex(/^\d+(\.\d+)?$/);
export const objectId = z.string().regex(/^[0-9a-f]{24}$/);
export const refid = z.string().regex(/^gtx_[0-9A-Za-z]{20}$/);
/** Ids that a host may choose itself. */
export const partnerId = z.string();
export const mode = z.enum(MODES);
export const flow = z.enum(FLOWS);
export const paymentMethod = z.enum(PAYMENT_METHODS);

/** Of the partner's own: any object, as it was written. */
export const opaque = documented(z.record(z.string(), z.unknown()) satisfies z.ZodType<Opaque>, {
  description: 'Returned verbatim, including key order and number formatting.',
});

export const side = z.object({
  amount: decimal.nullable(),
  currency: z.string().nullable(),
  network: z.string().nullable(),
});

export const fee = z.object({ type: z.string(), amount: decimal, currency: z.string() });

/** Instructions of a bank transfer, as an intent and a pay-in show them. */
export const bankTransfer = z.object({
  type: z.literal('bank_transfer'),
  iban: z.string(),
  bic: z.string(),
  account_holder: z.string(),
  reference: z.string(),
  amount: decimal,
  currency: z.string(),
  expires_at: time,
});

export const failure = z.object({
  code: z.enum(FAILURE_CODES),
  stage: z.enum(STAGES),
  message: z.string(),
  retryable: z.boolean(),
});

/** A resource on the wire: the name clients know it by, its schema, which says what it is, and one that could be. */
export interface WireType<Shape> {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly example: Shape;
}

/**
 * Ties a schema to the renderer of a resource, which has rendered the example: it compiles only while the two say the same, member by
 * member. The description is the sentence that the document, its page and the SDKs show of it.
 */
export function wireType<Schema extends z.ZodType, Shape>(
  name: string,
  schema: Schema & SaysTheSame<z.output<Schema>, Shape>,
  said: { readonly description: string; readonly example: JsonText<Shape> },
): WireType<Shape> {
  // Rendered from this very shape.
  const example = JSON.parse(said.example) as Shape;
  return {
    name,
    schema: documented(schema, { id: name, description: said.description, examples: [example] }),
    example,
  };
}

type SaysTheSame<Said, Shape> = [Plain<Said>] extends [Plain<Shape>]
  ? [Plain<Shape>] extends [Plain<Said>]
    ? unknown
    : { readonly 'the schema is narrower than the type': Shape }
  : { readonly 'the schema is wider than the type': Shape };

/** Without what a schema cannot say: whether a member may be assigned to. */
type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : { readonly [Key in keyof T]: Plain<T[Key]> };
