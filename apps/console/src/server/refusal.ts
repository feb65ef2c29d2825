import { GateArgumentError, type GateRefusal } from '@gateramp/core';
import { STATUSES, TryAgain } from '@gateramp/core/http';
import { AuditAlteredError, isOutage } from '@gateramp/core/ports';
import { err, type Err } from 'neverthrow';

/** The codes of the console's own refusals, in addition to those of `/v1`. */
export const CONSOLE_STATUSES = {
  validation_failed: 400,
  reason_required: 403,
  invalid_invite: 401,
  unauthenticated: 401,
  cross_site_request: 403,
  insufficient_role: 403,
  not_found: 404,
  method_not_allowed: 405,
  already_done: 409,
  session_open: 409,
  second_person_required: 403,
  approval_changed: 409,
  approval_closed: 409,
  name_taken: 409,
  too_many: 409,
  too_large: 422,
  unsupported_media_type: 415,
  body_too_large: 413,
  too_many_streams: 429,
  rate_limit_exceeded: 429,
  not_available: 501,
  internal_error: 500,
  service_unavailable: 503,
  try_again: 503,
} as const;

export type ConsoleCode = keyof typeof CONSOLE_STATUSES;

/** Why a request was refused. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The invalid fields. */
  readonly fields?: NonNullable<GateRefusal['fields']>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function refusal(code: ConsoleCode, message: string): Refusal {
  return { status: CONSOLE_STATUSES[code], code, message };
}

export function refuse(code: ConsoleCode, message: string): Err<never, Refusal> {
  return err(refusal(code, message));
}

export const NOTHING_HERE = refusal('not_found', 'There is no such resource for you.');

/** A refusal of the gate. What is absent has one code here, so that a caller learns nothing about other scopes. */
export function fromGate(refused: GateRefusal): Refusal {
  const status = STATUSES[refused.code];
  return status === 404 ? { ...NOTHING_HERE, message: refused.message } : { ...refused, status };
}

/** Converts an error thrown by the gate for invalid arguments or a lost race into a refusal. Returns null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  // Only the gate validates some values, such as origins and URLs.
  if (error instanceof GateArgumentError)
    return refusal(error.code === 'invalid' ? 'validation_failed' : error.code, error.problems.join(' '));
  return error instanceof TryAgain ? refusal('try_again', error.message) : null;
}

/** The refusal for a bug or an outage. It omits details of the error. */
export function failure(error: unknown): Refusal {
  if (error instanceof AuditAlteredError)
    return refusal(
      'service_unavailable',
      'Nothing was changed. The audit trail of this installation must be checked first, with "gate audit verify".',
    );
  return isOutage(error)
    ? refusal('service_unavailable', 'The service is temporarily unavailable; try again.')
    : refusal('internal_error', 'Something went wrong on our side.');
}
