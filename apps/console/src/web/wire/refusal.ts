/** A refused call, or one that had no answer (`unreachable`). */
export interface Refusal {
  /** 0 without an answer. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
}

/** How far the clocks of the server are ahead of this device, in milliseconds. */
export interface Ahead {
  /** The clock of sign-ins, approvals, the audit trail and live mode. */
  readonly live: number;
  /** The clock of the partner and mode that the page is about: of its sandbox, if it is in test mode. */
  readonly scope: number;
}

export type ApiResult<Value> =
  | { readonly ok: true; readonly value: Value; readonly ahead?: Ahead }
  | { readonly ok: false; readonly refusal: Refusal };

export const UNREACHABLE: Refusal = { status: 0, code: 'unreachable', message: '', requestId: null };

/** Reads the error envelope. A body of any other form, such as a proxy's page, yields `unknown`. */
export function readRefusal(status: number, body: unknown): Refusal {
  const error = fieldsOf(fieldsOf(body)['error'] ?? body);
  const { code, message, request_id: requestId } = error;
  return {
    status,
    code: typeof code === 'string' ? code : 'unknown',
    message: Array.isArray(message) ? message.join(' ') : typeof message === 'string' ? message : '',
    requestId: typeof requestId === 'string' ? requestId : null,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // The cast holds: the fields of any object may be read.
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
