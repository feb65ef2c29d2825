import { InvalidRequestError } from '../errors/classes.js';

/** Options of a single call. */
export interface CallOptions {
  /** Used instead of a new UUID: the same key and body return the same response for 24 hours. */
  readonly idempotencyKey?: string | undefined;
  /** Retries after the first attempt; 0 for none. */
  readonly maxRetries?: number | undefined;
  /** The timeout of each attempt, including reading the body. */
  readonly timeoutMs?: number | undefined;
  /** Aborts the call, including its retries and waits. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Body members that this SDK does not know yet. They override known members. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** One operation of the service. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** Begins with a slash; ids in it are already escaped. */
  readonly path: string;
  readonly host?: 'api' | 'pools';
  /** Undefined and null members are left out. */
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  /** Whether the operation changes something and takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean;
}

/** Builds a path with escaped ids. An empty id would address another endpoint, so it is refused before sending. */
export function path(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return parts.map((part, index) => (index === 0 ? part : `${escaped(ids[index - 1])}${part}`)).join('');
}

function escaped(id: unknown): string {
  if (typeof id === 'string' && !/^\s*$|^\.\.?$|\p{Surrogate}/u.test(id)) return encodeURIComponent(id);
  const found = typeof id === 'string' ? JSON.stringify(id) : id === null ? 'null' : typeof id;
  throw new InvalidRequestError({ code: 'id_missing', message: `An id must be a non-empty string, not ${found}.` });
}
