import * as z from 'zod';
import type { JsonText } from '../../domain/json/json-text.js';
import type { FieldError } from '../../domain/refusal.js';
import type { BodyInput } from './body.js';
import { documented } from './documented.js';
import { optional } from './fields.js';

/** Opaque: only that it is an object matters, and its text is echoed. */
export const metadataField = optional(
  documented(z.custom<object>(isObject, { error: 'must be an object', params: { code: 'invalid_type' } }), {
    type: 'object',
    description: 'At most 16 KiB of JSON, returned verbatim.',
  }),
);

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface ReadMetadata {
  /** As it was written; `{}` when absent or null. */
  readonly text: JsonText;
  readonly faults: readonly FieldError[];
}

export function readMetadata({ document, policy }: BodyInput): ReadMetadata {
  const text = document.members.get('metadata') ?? null;
  if (text === null || text === 'null') return { text: EMPTY, faults: [] };
  const isShort =
    text.length * 3 <= policy.metadataBytesMax || new TextEncoder().encode(text).byteLength <= policy.metadataBytesMax;
  const message = `metadata may have at most ${policy.metadataBytesMax} bytes`;
  return { text, faults: isShort ? [] : [{ field: 'metadata', code: 'too_long', message }] };
}

const EMPTY = '{}' as JsonText;
