import type { FieldError, Refusal } from '../../domain/refusal.js';
import { firstOfEach } from '../schema/fields.js';

/** One refusal for all failed parameters; unknown ones alone have a code of their own. */
export function queryRefusal(
  fields: readonly FieldError[],
  max: number,
): Refusal<'validation_failed' | 'unknown_parameter'> {
  const code = fields.every((field) => field.code === 'unknown_parameter') ? 'unknown_parameter' : 'validation_failed';
  return { code, message: fields[0]?.message ?? 'The query is not valid.', fields: firstOfEach(fields, max) };
}
