import { err, type Err } from 'neverthrow';
import type { ErrorCode } from './error-code.js';

/** One failed field of a body or query. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/**
 * What the contract refuses. A refusal changes nothing (`docs/spec-notes.md` C10), so the same
 * idempotency key may be used again with a corrected request.
 */
export interface Refusal<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  /** Says what the reader can do. Never contains a secret. */
  readonly message: string;
  readonly fields?: readonly FieldError[];
}

/** A refusal as a `Result`: what the contract says, what the reader must do, and the fields it is about. */
export function refuse<Code extends ErrorCode>(
  code: Code,
  message: string,
  fields?: readonly FieldError[],
): Err<never, Refusal<Code>> {
  return err(fields === undefined ? { code, message } : { code, message, fields });
}
