import { InvalidRequestError } from '../errors/classes.js';

/** What may be said about one call. */
export interface CallOptions {
  /** Yours instead of a fresh UUID: the same key and body give the same answer for 24 hours. */
  readonly idempotencyKey?: string | undefined;
  /** Retries after the first attempt; 0 for none. */
  readonly maxRetries?: number | undefined;
  /** Of each attempt, the reading of its body included. */
  readonly timeoutMs?: number | undefined;
  /** Ends the call, its retries and its waits. */
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Members of the body that this SDK does not know yet. They win over those it does. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** One operation of the service. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** Begins with a slash; ids in it are already escaped. */
  readonly path: string;
  readonly host?: 'api' | 'pools';
  /** What is undefined or null is left out. */
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  /** Whether it changes something and takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean;
}

/** The path with its ids, escaped. An empty id would name another endpoint, so it is refused before it is sent. */
export function path(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return parts.map((part, index) => (index === 0 ? part : `${escaped(ids[index - 1])}${part}`)).join('');
}

function escaped(id: unknown): string {
  if (typeof id === 'string' && id.trim() !== '' && id !== '.' && id !== '..') return encodeURIComponent(id);
  throw new InvalidRequestError({
    code: 'id_missing',
    message: `An id must be a non-empty string; this one is ${id === '' ? 'empty' : String(id)}.`,
  });
}
