import { err, ok, type Result } from 'neverthrow';
import * as z from 'zod';
import { isIban, isRoutingNumber } from '../../domain/intent/attempt-fields.js';
import { currencyDecimals, fitsCurrency, isPositive } from '../../domain/money.js';
import type { ParsedUrl } from '../../domain/origin/origin.js';
import type { FieldError } from '../../domain/refusal.js';
import { documented } from './members.js';

/** The result of reading a body or query: the value, or all invalid fields. */
export type Read<Value> = Result<Value, readonly FieldError[]>;

/** Validates a value against a closed schema; lists all invalid fields. */
export function readFields<Schema extends z.ZodType>(schema: Schema, value: unknown): Read<z.infer<Schema>> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err(parsed.error.issues.flatMap(fieldErrors));
}

function fieldErrors(issue: z.core.$ZodIssue): readonly FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownField([...path, key].join('.')));
  }
  const field = path.join('.') || 'body';
  return [{ field, code: codeOf(issue), message: `${field} ${issue.message}` }];
}

/** Maximum number of invalid fields in one response. */
const FIELD_ERRORS_MAX = 20;

/** The first problem of each invalid field, up to the maximum number of fields. */
export function firstOfEach(errors: readonly FieldError[]): readonly FieldError[] {
  const first = new Map<string, FieldError>();
  for (const error of errors) {
    if (first.size === FIELD_ERRORS_MAX) break;
    if (!first.has(error.field)) first.set(error.field, error);
  }
  return [...first.values()];
}

export function unknownField(field: string): FieldError {
  const hint = SPELLINGS.get(field);
  const message =
    hint === undefined
      ? `${field} is not a field of this request`
      : `${field} is not a field of this request; it is spelled ${hint}`;
  return { field, code: 'unknown_field', message };
}

/** Fields that are often written in the other case (`docs/spec-notes.md` C15). */
const SPELLINGS: ReadonlyMap<string, string> = new Map([['client_secret', 'clientSecret']]);

function codeOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : 'invalid_type';
    case 'too_big':
      return 'too_long';
    case 'too_small':
      return 'too_short';
    case 'custom':
      return typeof issue.params?.['code'] === 'string' ? issue.params['code'] : 'invalid';
    default:
      return 'invalid';
  }
}

/** Text of at most `max` code points, the contract's unit of length. */
export function text(max: number, min = 0): z.ZodType<string, string> {
  return documented(counted(max, min), min === 0 ? { maxLength: max } : { minLength: min, maxLength: max });
}

function counted(max: number, min: number): z.ZodType<string, string> {
  const long = z.string(TEXT).refine((value) => value.length <= max || codePoints(value, max) <= max, {
    message: `must have at most ${max} characters`,
    params: { code: 'too_long' },
  });
  if (min === 0) return long;
  return long.refine((value) => value.length >= min && codePoints(value, max) >= min, {
    message: `must have at least ${min} characters`,
    params: { code: 'too_short' },
  });
}

/** Text that matches a pattern. */
export function pattern(form: RegExp, message: string): z.ZodType<string, string> {
  const schema = z.string(TEXT).refine((value) => form.test(value), { message, params: { code: 'invalid_format' } });
  return documented(schema, { pattern: form.source });
}

const TEXT = {
  error: (issue: { readonly input: unknown }) => (issue.input === undefined ? 'is required' : 'must be a string'),
};

/** A whole number between two bounds, both included. */
export function wholeNumber(min: number, max: number): z.ZodType<number, number> {
  return z
    .int({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number') })
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
}

/** One of the given words. */
export function oneOf<const Word extends string>(words: readonly Word[]): z.ZodType<Word, Word> {
  return z.enum(words, {
    error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${words.join(', ')}`),
  });
}

/** Absent or null. Readers of the field use `?? null`, because a transform here would cost more than the check. */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodOptional<z.ZodNullable<Schema>> {
  return schema.nullish();
}

function codePoints(value: string, enough: number): number {
  // A code point has at most two UTF-16 units, so long texts need no counting.
  if (value.length > 2 * enough) return value.length;
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

/** Whether `YYYY-MM-DD` is an existing date. `Date.parse` accepts 30 February as 2 March. */
export function isCalendarDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** Parses a URL that all browsers interpret in the same way; null for other text. */
export function parseUrl(text: string): ParsedUrl | null {
  // The parser silently drops whitespace and control characters, so URLs that contain them are refused.
  if (/[\s\p{Cc}\\]/u.test(text) || HIDDEN_RELATIVE.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    origin: url.origin,
    hasCredentials: url.username !== '' || url.password !== '',
  };
}

/** Matches URLs such as `https:host`: absolute for the parser, but relative when a page follows them. */
const HIDDEN_RELATIVE = /^https?:(?!\/\/[^/])/i;

const AMOUNT = /^(?=.{1,40}$)\d+(\.\d{1,8})?$/;

/** A positive decimal string (spec: Create-session request body 1). */
export const amount: z.ZodType<string, string> = pattern(
  AMOUNT,
  'must be a decimal number with at most 8 decimal places and 40 characters',
).refine((value) => !AMOUNT.test(value) || isPositive(value), {
  message: 'must be greater than 0',
  params: { code: 'not_positive' },
});

/** Checks the decimals of an amount against its currency, for prices and payments. */
export function fitsItsCurrency(
  body: { readonly amount: string; readonly currency: string },
  refinement: z.RefinementCtx,
): void {
  // Other problems of the amount are reported by its own schema.
  if (!AMOUNT.test(body.amount) || fitsCurrency(body.amount, body.currency)) return;
  const decimals = currencyDecimals(body.currency);
  const message = `must have at most ${decimals} decimals in ${body.currency.toUpperCase()}`;
  refinement.addIssue({ code: 'custom', path: ['amount'], message, params: { code: 'too_many_decimals' } });
}

/** A fiat currency, in any letter case. */
export const currency = pattern(/^[A-Za-z]{3}$/, 'must be three letters (ISO 4217)');
/** An asset or currency, by its symbol. */
export const token = pattern(/^[A-Za-z0-9]{2,12}$/, 'must be 2 to 12 letters or digits');
/** A network, by its name. */
export const network = pattern(/^[A-Za-z0-9_-]{2,30}$/, 'must be 2 to 30 letters, digits, underscores or hyphens');
/** A country, in any letter case. */
export const country = pattern(/^[A-Za-z]{2}$/, 'must be two letters (ISO 3166-1)');

const IBAN = /^[A-Za-z0-9 ]{8,42}$/;

export const iban = pattern(IBAN, 'must be an IBAN').refine((value) => !IBAN.test(value) || isIban(value), {
  message: 'must be an IBAN with valid check digits',
  params: { code: 'invalid_format' },
});

const ROUTING_NUMBER = /^[0-9]{9}$/;

export const routingNumber = pattern(ROUTING_NUMBER, 'must be 9 digits').refine(
  (value) => !ROUTING_NUMBER.test(value) || isRoutingNumber(value),
  { message: 'must be a routing number with a valid check digit', params: { code: 'invalid_format' } },
);

export const accountNumber = pattern(/^[0-9]{4,17}$/, 'must be 4 to 17 digits');
