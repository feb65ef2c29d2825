import { err, type Err } from 'neverthrow';
import type { ErrorCode } from './error-code.js';

/** An invalid field of a body or query. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/**
 * An error of the contract. A refusal changes nothing (`docs/spec-notes.md` C10), so the same idempotency key can be reused with a
 * corrected request.
 */
export interface Refusal<Code extends ErrorCode = ErrorCode> {
  readonly code: Code;
  /** Tells the reader what to do. Never contains a secret. */
  readonly message: string;
  readonly fields?: readonly FieldError[];
}

/** Builds a refusal as a `Result`. */
export function refuse<Code extends ErrorCode>(
  code: Code,
  message: string,
  fields?: readonly FieldError[],
): Err<never, Refusal<Code>> {
  return err(fields === undefined ? { code, message } : { code, message, fields });
}
