/** A request field that failed validation, as named by the service. */
export interface FieldError {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface GateErrorDetails {
  readonly message: string;
  readonly code?: string | null;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly rawBody?: string | null;
  readonly messages?: readonly string[];
  readonly fields?: readonly FieldError[];
  readonly docUrl?: string | null;
  readonly cause?: unknown;
}

/** The base class of all errors of this SDK. Branch on the class, on `code` or on `status`, never on a message (spec: Errors). */
export class GateError extends Error {
  /** The type of the error class, the same in every language (spec: Server SDK error classes). */
  readonly type: string = 'gate_error';
  /** The service's error code (`session_not_open`), more specific than the class; the type if the response has no code. */
  readonly code: string;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Quote it to support. Null without a response. */
  readonly requestId: string | null;
  /** The response body as received; null without a response. */
  readonly rawBody: string | null;
  /** One message, or one for each field that failed; empty if the response has none. */
  readonly messages: readonly string[];
  readonly fields: readonly FieldError[];
  /** The full address of the page that explains the code; null if the service names none. */
  readonly docUrl: string | null;

  constructor(details: GateErrorDetails, type = 'gate_error', name = 'GateError') {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    // Bundlers may rename classes; the name in logs must not change with them.
    this.name = name;
    this.type = type;
    this.code = details.code ?? type;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.rawBody = details.rawBody ?? null;
    this.messages = details.messages ?? [];
    this.fields = details.fields ?? [];
    this.docUrl = details.docUrl ?? null;
  }
}
