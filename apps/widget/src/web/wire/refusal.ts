/** Why a call did not succeed, for screens to decide on. */
export interface Refusal {
  /** The contract's code; `unreachable` when no answer came, whatever was tried. */
  readonly code: string;
  /** Of fields that were refused, under their names on the wire. */
  readonly fields: readonly { readonly field: string; readonly code: string }[];
  readonly requestId: string | null;
}

export const UNREACHABLE: Refusal = { code: 'unreachable', fields: [], requestId: null };

/** No answer, or an outage of the service: says nothing about the request. */
export function isOutage(code: string): boolean {
  return /^(unreachable|internal_error|service_unavailable|try_again|http_5\d\d)$/.test(code);
}

/** Reads both renderings of the error envelope; what is neither is a refusal without a name. */
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

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** What a call answered. */
export type ApiResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };
