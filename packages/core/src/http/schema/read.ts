import type { Result } from 'neverthrow';
import type { FieldError } from '../../domain/refusal.js';

/** What a reader of a body or query says: the value, or every field that failed. */
export type Read<Value> = Result<Value, readonly FieldError[]>;
