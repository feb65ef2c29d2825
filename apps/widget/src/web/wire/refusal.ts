/** The reason why a call failed. */
export interface Refusal {
  /** The error code of the API; `unreachable` if no response arrived after all retries. */
  readonly code: string;
  /** The refused fields, by their names on the wire. */
  readonly fields: readonly { readonly field: string; readonly code: string }[];
  readonly requestId: string | null;
}

export const UNREACHABLE: Refusal = { code: 'unreachable', fields: [], requestId: null };

/** Whether there was no response or an outage of the service, which leaves the outcome of the request unknown. */
export function isOutage(code: string): boolean {
  return /^(unreachable|internal_error|service_unavailable|try_again|http_5\d\d)$/.test(code);
}

/** Reads both formats of the error envelope. Other bodies get a code made of the HTTP status. */
export function readRefusal(status: number, body: unknown): Refusal {
  const members: Readonly<Record<string, unknown>> = isMembers(body) ? body : {};
  const { code, request_id: requestId, requestId: otherId, errors } = members;
  return {
    code: typeof code === 'string' ? code : `http_${status}`,
    fields: Array.isArray(errors) ? errors.flatMap(readField) : [],
    requestId: typeof requestId === 'string' ? requestId : typeof otherId === 'string' ? otherId : null,
  };
}

function readField(value: unknown): Refusal['fields'] {
  if (!isMembers(value)) return [];
  const { field, code } = value;
  return typeof field === 'string' ? [{ field, code: typeof code === 'string' ? code : 'invalid' }] : [];
}

export function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The result of a call. */
export type ApiResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };
