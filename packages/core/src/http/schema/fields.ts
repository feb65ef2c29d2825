import { err, ok } from 'neverthrow';
import * as z from 'zod';
import type { FieldError } from '../../domain/refusal.js';
import { documented } from './documented.js';
import type { Read } from './read.js';

/** Checks a value against a closed schema and names every field that failed. */
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

/** One entry per failed field, the first problem with it, and a bounded number of fields. */
export function firstOfEach(errors: readonly FieldError[], max: number): readonly FieldError[] {
  const first = new Map<string, FieldError>();
  for (const error of errors) {
    if (first.size === max) break;
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

/** Fields that are easily written in the other case (`docs/spec-notes.md` C15). */
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

/** Text of at most `max` code points, as the contract counts length. */
export function text(max: number, min = 0): z.ZodType<string> {
  return documented(counted(max, min), min === 0 ? { maxLength: max } : { minLength: min, maxLength: max });
}

function counted(max: number, min: number): z.ZodType<string> {
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

/** Text of one form. */
export function pattern(form: RegExp, message: string): z.ZodType<string> {
  const schema = z.string(TEXT).refine((value) => form.test(value), { message, params: { code: 'invalid_format' } });
  return documented(schema, { pattern: form.source });
}

const TEXT = {
  error: (issue: { readonly input: unknown }) => (issue.input === undefined ? 'is required' : 'must be a string'),
};

export function wholeNumber(min: number, max: number): z.ZodType<number> {
  return z
    .int({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number') })
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
}

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  return z.enum(words, {
    error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${words.join(', ')}`),
  });
}

/** Absent and null are the same; readers of the field write `?? null`. A transform here would cost more than the check. */
export function optional<Schema extends z.ZodType>(schema: Schema): z.ZodOptional<z.ZodNullable<Schema>> {
  return schema.nullish();
}

function codePoints(value: string, enough: number): number {
  // A code point has at most two UTF-16 units: a long text is too long without being counted.
  if (value.length > 2 * enough) return value.length;
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}
