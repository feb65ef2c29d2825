import { readBounded } from './bounded-bytes.js';
import { onAbort } from './on-abort.js';

/** What a request is sent with. */
export interface FetchInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
  /** A redirect must not be followed: the request carries a secret key. */
  readonly redirect: 'manual';
}

/** `fetch`, or a function that is used as it, such as the `fetch` of undici. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** One request, ready to be sent any number of times. */
export interface Request {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Above every response of the service: a page of a hundred events with all their metadata takes a few MiB. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** The result of an attempt: a complete response, one that is too large to be read, or none. */
export type Sent =
  | { readonly kind: 'answer'; readonly response: Response; readonly text: string }
  | { readonly kind: 'too_large'; readonly response: Response }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'connection'; readonly cause: unknown };

/** Sends the request once. Rejects only with the reason of the caller's signal; any other failure is part of the result. */
export async function sendOnce(send: Fetch, request: Request): Promise<Sent> {
  const { signal, timeoutMs } = request;
  signal?.throwIfAborted();
  const ended = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    ended.abort();
  }, timeoutMs);
  const stopWaiting = onAbort(signal, () => ended.abort());
  try {
    // Raced, since not every fetch implementation observes its signal, and reading the body can hang as well.
    return await Promise.race([wholeAnswer(send, request, ended.signal), rejection(ended.signal)]);
  } catch (cause) {
    signal?.throwIfAborted();
    return isLate ? { kind: 'timeout' } : { kind: 'connection', cause };
  } finally {
    clearTimeout(timer);
    stopWaiting();
  }
}

async function wholeAnswer(send: Fetch, request: Request, signal: AbortSignal): Promise<Sent> {
  const { url, method, headers, body } = request;
  const response = await send(url, { method, headers, body, signal, redirect: 'manual' });
  const bytes = await readBounded(response, ANSWER_BYTES_MAX);
  if (bytes === null) return { kind: 'too_large', response };
  return { kind: 'answer', response, text: new TextDecoder().decode(bytes) };
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The attempt was aborted.')), { once: true });
  });
