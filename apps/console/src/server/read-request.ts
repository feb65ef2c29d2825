import { hasBadCharacters, isRecord } from '@gateramp/core/domain';
import { BODY_BYTES_MAX, readStream } from '@gateramp/core/http';
import { err, ok, type Result } from 'neverthrow';
import * as z from 'zod';
import type { AnyEndpoint } from './endpoint.js';
import { type Refusal, refusal, refuse } from './refusal.js';

export const REASON_LENGTH_MAX = 500;
const REASON = z
  .string()
  .trim()
  .min(1)
  .max(REASON_LENGTH_MAX)
  .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must be printable');

/** The body without its reason. */
interface Body {
  readonly reason: string | null;
  readonly rest: unknown;
}

export async function readBody({ body, method }: AnyEndpoint, request: Request): Promise<Result<Body, Refusal>> {
  if (method === 'GET') return ok({ reason: null, rest: null });
  const sent = await readStream(request.body, BODY_BYTES_MAX);
  if (sent.kind === 'too_large') return refuse('body_too_large', 'A body has at most 64 KiB.');
  const given = parsed(sent.bytes);
  if (!isRecord(given)) return refuse('validation_failed', 'The body must be a JSON object.');
  const unstorable = unstorableIn(textsIn(given), BODY_BYTES_MAX);
  if (unstorable !== null) return err(unstorable);
  const own = z.object({ reason: REASON.optional() });
  const schema = body === 'mirrored' ? own.loose() : (body ?? z.object({})).extend(own.shape).strict();
  const read = schema.safeParse(given);
  if (!read.success) return err(invalid(read.error));
  const { reason, ...rest } = read.data;
  return ok({ reason: reason ?? null, rest: body === null ? null : rest });
}

/** Undefined if the text is not JSON; an empty text is an empty object. */
function parsed(bytes: Uint8Array): unknown {
  // Drops a leading byte order mark.
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The query, without the partner and the mode that it names. */
export function readQuery({ query, audience }: AnyEndpoint, given: URLSearchParams): Result<unknown, Refusal> {
  const named = Object.fromEntries(
    [...given].filter(([name]) => audience !== 'partner' || (name !== 'partner' && name !== 'mode')),
  );
  if (query === null) return ok(named);
  const read = query.safeParse(named);
  return read.success ? ok(read.data) : err(invalid(read.error));
}

/** One refusal for all invalid fields. */
export function invalid({ issues }: z.ZodError): Refusal {
  const fields = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((field) => ({
          field,
          code: 'unknown_field',
          message: `${field} is not a field of this request`,
        }))
      : [{ field: issue.path.join('.'), code: 'invalid', message: `${issue.path.join('.')}: ${issue.message}` }],
  );
  return { ...refusal('validation_failed', fields[0]?.message ?? 'The request is not valid.'), fields };
}

/** Of a path or query. */
const PARAMETER_LENGTH_MAX = 1_000;

/** No store can keep, or look for, a text with NUL or half of a surrogate pair. */
export function unstorableIn(
  texts: readonly (readonly [field: string, text: string])[],
  lengthMax = PARAMETER_LENGTH_MAX,
): Refusal | null {
  const found = texts.find(([, text]) => text.length > lengthMax || hasBadCharacters(text));
  if (found === undefined) return null;
  const [field] = found;
  const message = `${field}: must be at most ${lengthMax} characters of valid text, without NUL`;
  return { ...refusal('validation_failed', message), fields: [{ field, code: 'invalid', message }] };
}

/** Every text of a body with the field that it is in, names of members included. */
function textsIn(value: unknown, path = 'body'): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [path, name] as const,
    ...textsIn(member, path === 'body' ? name : `${path}.${name}`),
  ]);
}
