import { z } from 'zod';
import { shapeOf } from './argument-error.js';

/** Accepts what passes `test`. `must` says what is expected, as `problemsBy` reads it. */
export function is(test: (value: unknown) => boolean, must: string): z.ZodType {
  return z.custom(test, must);
}

/** Accepts what has no problem. */
export function sound(problemOf: (value: unknown) => string | null): z.ZodType {
  return z.custom((value) => problemOf(value) === null, { error: ({ input }) => problemOf(input) ?? '' });
}

/** A whole number. */
export function whole(min: number, max: number, must: string): z.ZodType {
  return is((value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max, must);
}

/** An object with these members and no others. */
export function exactly<Shape extends z.ZodRawShape>(shape: Shape, must: string): z.ZodObject<Shape, z.core.$strict> {
  const fields = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `is not a field; the fields are ${fields}` : must),
  });
}

/**
 * Lists what a schema does not accept of an argument: `<place> <message>; it is <shape>.` A message that begins with a capital letter names
 * its argument itself, and one that ends with a full stop is the whole sentence. Values are not quoted, as they may be secret.
 */
export function problemsBy(schema: z.ZodType, place?: string): (value: unknown) => readonly string[] {
  const from = place === undefined ? [] : [place];
  return (value) => {
    const { error } = schema.safeParse(value, { reportInput: true });
    return error?.issues.flatMap((issue) => sentences({ ...issue, path: [...from, ...issue.path] })) ?? [];
  };
}

function sentences(issue: z.core.$ZodIssue): readonly string[] {
  const { path, message, input } = issue;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${nameOf([...path, key])} ${message}.`);
  if (message.endsWith('.')) return [message];
  return [`${/^[A-Z]/.test(message) ? '' : `${nameOf(path)} `}${message}; it is ${shapeOf(input)}.`];
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}${name && '.'}${String(part)}`),
    '',
  );
}
