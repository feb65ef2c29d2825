import { type Refusal, refusal } from './refusal.js';

/** Of a member of a body. */
export const TEXT_LENGTH_MAX = 65_536;
/** Of a path or query. */
const PARAMETER_LENGTH_MAX = 1_000;
const HALF_A_CHARACTER = /\p{Cs}/u;

/** No store can keep, or look for, a text with NUL or half of a surrogate pair. */
export function unstorableIn(
  texts: readonly (readonly [string, string])[],
  lengthMax = PARAMETER_LENGTH_MAX,
): Refusal | null {
  for (const [field, text] of texts)
    if (text.length > lengthMax || text.includes('\0') || HALF_A_CHARACTER.test(text)) {
      const message = `${field}: must be at most ${lengthMax} characters of valid text, without NUL`;
      return { ...refusal('validation_failed', message), errors: [{ field, code: 'invalid', message }] };
    }
  return null;
}

/** Every text of a body with the field that it is in, names of members included. */
export function textsIn(value: unknown, path = 'body'): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [path, name] as const,
    ...textsIn(member, path === 'body' ? name : `${path}.${name}`),
  ]);
}
