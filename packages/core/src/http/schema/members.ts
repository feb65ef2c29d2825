import * as z from 'zod';
import { FAILURE_CODES, PAYMENT_METHODS, STAGES } from '../../domain/intent/intent.js';
import type { JsonText, Opaque } from '../../domain/json.js';
import { MODES } from '../../domain/mode.js';
import { FLOWS } from '../../domain/session/terms.js';

/**
 * Documentation of schemas that zod cannot represent: a pattern, a name, an example. Not zod's global registry, which other libraries of
 * the host may use.
 */
export const DOCUMENTED = z.registry<Readonly<Record<string, unknown>>>();

export function documented<Schema extends z.ZodType>(schema: Schema, says: Readonly<Record<string, unknown>>): Schema {
  DOCUMENTED.add(schema, says);
  return schema;
}

/** Members shared by many resources, as in responses. */
export const time = documented(z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), { format: 'date-time' });
/** A decimal number that is not negative, as text. */
export const decimal = z.string().regex(/^\d+(\.\d+)?$/);
/** The id of an object: 24 hexadecimal digits. */
export const objectId = z.string().regex(/^[0-9a-f]{24}$/);
/** The id of a transaction. */
export const refid = z.string().regex(/^gtx_[0-9A-Za-z]{20}$/);
/** Hosts may choose their own ids. */
export const partnerId = z.string();
/** Test or live mode. */
export const mode = z.enum(MODES);
export const flow = z.enum(FLOWS);
export const paymentMethod = z.enum(PAYMENT_METHODS);

/** Any object of the partner, verbatim. */
export const opaque = documented(z.record(z.string(), z.unknown()) satisfies z.ZodType<Opaque>, {
  description: 'Returned verbatim, including key order and number formatting.',
});

export const side = z.object({
  amount: decimal.nullable(),
  currency: z.string().nullable(),
  network: z.string().nullable(),
});

export const fee = z.object({ type: z.string(), amount: decimal, currency: z.string() });

/** For how long and how far the price of a deposit is held; absent if it is held until the deposit expires. */
export const depositPrice = {
  price_held_until: time.exactOptional(),
  price_tolerance_bps: z.int().exactOptional(),
} as const;

/** Bank transfer instructions of an intent or a pay-in. */
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

/** A wire resource: its name for clients, its schema and an example. */
export interface WireType<Shape> {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly example: Shape;
}

/**
 * Ties a schema to a resource's renderer, which produced the example: it compiles only if both have the same members. The description is
 * shown in the document, its page and the SDKs.
 */
export function wireType<Schema extends z.ZodType, Shape>(
  name: string,
  schema: Schema & SameShape<z.output<Schema>, Shape>,
  said: { readonly description: string; readonly example: JsonText<Shape> },
): WireType<Shape> {
  // Rendered from this shape.
  const example = JSON.parse(said.example) as Shape;
  return {
    name,
    schema: documented(schema, { id: name, description: said.description, examples: [example] }),
    example,
  };
}

type SameShape<Described, Shape> = [Plain<Described>] extends [Plain<Shape>]
  ? [Plain<Shape>] extends [Plain<Described>]
    ? unknown
    : { readonly 'the schema is narrower than the type': Shape }
  : { readonly 'the schema is wider than the type': Shape };

/** Ignores `readonly`, which a schema does not express. */
type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : { readonly [Key in keyof T]: Plain<T[Key]> };
