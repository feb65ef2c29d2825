/** One field of a request that failed, as the service names it. */
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

/** What every error of this SDK is. Branch on the class, on `code` or on `status`, never on a message (spec: Errors). */
export class GateError extends Error {
  /** The class's own name in every language (spec: Server SDK error classes). */
  readonly type: string = 'gate_error';
  /** What went wrong, finer than the class: the service's own code (`session_not_open`); the type where it named none. */
  readonly code: string;
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  /** Quote it to support. Null where no answer came. */
  readonly requestId: string | null;
  /** The answer as it arrived; null where none did. */
  readonly rawBody: string | null;
  /** One text, or one for each field that failed; empty where the answer says none. */
  readonly messages: readonly string[];
  readonly fields: readonly FieldError[];
  /** Where the code is explained; may be a path on the service's own host. */
  readonly docUrl: string | null;

  constructor(details: GateErrorDetails, type = 'gate_error', name = 'GateError') {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    // A bundler may rename classes; the name in a log should not change with it.
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
