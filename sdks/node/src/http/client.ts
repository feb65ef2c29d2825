import { type GateError } from '../errors/gate-error.js';
import { VERSION } from '../version.js';
import { sendOnce, type Fetch, type Request } from './attempt.js';
import { checkBounds } from './bounds.js';
import { type Call, type CallOptions } from './call.js';
import { type WithResponse } from './gate-promise.js';
import { lowerCased, sendable } from './headers.js';
import { type Observer } from './observer.js';
import { outcomeOf } from './outcome.js';
import { mayHaveHappened, retryDelayMs } from './retry.js';
import { sleep } from './sleep.js';
import { bodyText, queryText } from './wire-values.js';

/** Settings shared by all calls of a `Gate`. */
interface ClientSettings {
  readonly secretKey: string;
  /** Origins without a trailing slash. The origin of the pools product may be unknown: calling `pools` then throws. */
  readonly hosts: { readonly api: string; readonly pools: () => string };
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly fetch: Fetch;
  readonly observer: Observer;
}

/** Replaces an error that follows a lost response with a result; returns null if the error remains. */
export type Recover<T> = (error: GateError) => Promise<WithResponse<T> | null>;

/** Sends operations: adds an idempotency key to writes, retries by the policy, and throws an error for every failure. */
export class Client {
  readonly #settings: ClientSettings;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  async send<T>(call: Call, options: CallOptions = {}, recover?: Recover<T>): Promise<WithResponse<T>> {
    const { maxRetries = this.#settings.maxRetries, timeoutMs = this.#settings.timeoutMs } = options;
    checkBounds({ maxRetries, timeoutMs });
    const request = this.#requestOf(call, { ...options, timeoutMs });
    request.signal?.throwIfAborted();
    let isUnsure = false;
    for (let retriesMade = 0; ; retriesMade += 1) {
      const end = this.#settings.observer.start(request, retriesMade + 1);
      const sent = await sendOnce(this.#settings.fetch, request).catch((reason: unknown) => {
        end({ status: null, requestId: null, errorCode: 'aborted', retryDelayMs: null });
        throw reason;
      });
      const outcome = outcomeOf<T>(sent, request);
      if (outcome.ok) {
        const { response, requestId } = outcome.answer;
        end({ status: response.status, requestId, errorCode: null, retryDelayMs: null });
        return outcome.answer;
      }
      const delay = retryDelayMs(outcome.failure, { retriesMade, maxRetries, chance: Math.random() });
      const { status, requestId, code } = outcome.error;
      end({ status, requestId, errorCode: code, retryDelayMs: delay });
      if (delay === null) {
        const recovered = isUnsure ? await recover?.(outcome.error) : null;
        if (recovered) return recovered;
        throw outcome.error;
      }
      isUnsure ||= mayHaveHappened(outcome.failure);
      await sleep(delay, options.signal);
    }
  }

  #requestOf({ method, path, host = 'api', query, body, isKeyed = false }: Call, options: Timed): Request {
    const { hosts, secretKey } = this.#settings;
    const origin = host === 'pools' ? hosts.pools() : hosts.api;
    const hasBody = method === 'POST' && (body !== undefined || options.extraBody !== undefined);
    const headers = lowerCased(options.headers);
    // The caller's key takes precedence, as an option or as a header. One key per operation, not per attempt: every retry carries it.
    const key = options.idempotencyKey ?? headers['idempotency-key'] ?? (isKeyed ? crypto.randomUUID() : null);
    return {
      url: `${origin}${path}${queryText(query)}`,
      method,
      body: hasBody ? bodyText(body, options.extraBody) : null,
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      headers: sendable({
        accept: 'application/json',
        'user-agent': `gateramp-sdk-node/${VERSION}`,
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...headers,
        ...(key === null ? {} : { 'idempotency-key': key }),
        authorization: `Bearer ${secretKey}`,
      }),
    };
  }
}

type Timed = CallOptions & { readonly timeoutMs: number };
