import { InvalidRequestError } from '../errors/classes.js';

/** One attempt of a call. Contains no key, header, body or query. */
export interface RequestAttempt {
  readonly method: 'GET' | 'POST';
  /** Without the query, which may contain personal data. */
  readonly url: string;
  /** 1 for the first attempt of a call, 2 for its first retry. */
  readonly attempt: number;
}

/** The end of an attempt. */
export interface AttemptResult extends RequestAttempt {
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** `X-Request-Id` of the response. Quote it to support. */
  readonly requestId: string | null;
  /** Milliseconds from sending the request to the last byte of the response. */
  readonly durationMs: number;
  /** The `code` of the error: the service's, `connection_error` or `timeout`; `aborted` by the signal of the caller; null for a success. */
  readonly errorCode: string | null;
  /** Milliseconds until the next attempt; null if there is none. */
  readonly retryDelayMs: number | null;
}

const LEVELS = ['off', 'error', 'warn', 'info', 'debug'] as const;

/** `error`: hooks that threw; `warn`: also attempts that failed; `info`: also those that succeeded; `debug`: also their starts. */
export type LogLevel = (typeof LEVELS)[number];

/** Where log lines are written: `console`, or a logger such as one of pino or winston. */
export type Logger = Readonly<Record<Exclude<LogLevel, 'off'>, (message: string) => void>>;

/** Observes the attempts of all calls. Whatever these functions throw or return changes no call. */
export interface ObserverOptions {
  /** Called before each attempt. */
  readonly onRequest?: ((attempt: RequestAttempt) => unknown) | undefined;
  /** Called at the end of each attempt. */
  readonly onResponse?: ((result: AttemptResult) => unknown) | undefined;
  /** Where log lines are written. Default: the console. */
  readonly logger?: Logger | undefined;
  /** Which lines are written. Default: `error`. */
  readonly logLevel?: LogLevel | undefined;
}

/** What an attempt has come to. */
type AttemptEnd = Pick<AttemptResult, 'status' | 'requestId' | 'errorCode' | 'retryDelayMs'>;

export class Observer {
  readonly #options: ObserverOptions;
  readonly #logger: Logger;
  readonly #level: number;

  constructor(options: ObserverOptions) {
    const { logger = console, logLevel = 'error' } = options;
    this.#options = options;
    this.#logger = logger;
    this.#level = LEVELS.indexOf(logLevel);
    if (this.#level >= 0) return;
    const message = `logLevel must be one of ${LEVELS.join(', ')}; got ${String(logLevel)}.`;
    throw new InvalidRequestError({ code: 'invalid_configuration', message });
  }

  /** Reports the start of an attempt. Returns a function that reports its end. */
  start({ method, url }: Pick<RequestAttempt, 'method' | 'url'>, attempt: number): (end: AttemptEnd) => void {
    const about = { method, url: url.split('?')[0] ?? url, attempt };
    const { onRequest, onResponse } = this.#options;
    this.#call('onRequest', () => onRequest?.({ ...about }));
    this.#log('debug', () => `${method} ${about.url}: attempt ${attempt}`);
    const startedAt = performance.now();
    return (end) => {
      const result = { ...about, ...end, durationMs: Math.round(performance.now() - startedAt) };
      this.#call('onResponse', () => onResponse?.({ ...result }));
      this.#log(end.errorCode === null ? 'info' : 'warn', () => lineOf(result));
    };
  }

  /** An async function catches what the hook throws, and what its promise rejects with. */
  #call(name: string, hook: () => unknown): void {
    const call = async (): Promise<unknown> => hook();
    call().catch((error: unknown) => {
      this.#log('error', () => `${name} of a Gate failed: ${error instanceof Error ? error.stack : String(error)}`);
    });
  }

  #log(level: keyof Logger, line: () => string): void {
    if (this.#level < LEVELS.indexOf(level)) return;
    const write = async (): Promise<unknown> => this.#logger[level](line());
    // A logger that fails has no other place to report it.
    write().catch(() => undefined);
  }
}

function lineOf({
  method,
  url,
  attempt,
  status,
  requestId,
  durationMs,
  errorCode,
  retryDelayMs,
}: AttemptResult): string {
  const outcome = [status, errorCode].filter((part) => part !== null).join(' ');
  const about = [`attempt ${attempt}`, requestId].filter((part) => part !== null).join(', ');
  const next = retryDelayMs === null ? '' : `, next attempt in ${retryDelayMs} ms`;
  return `${method} ${url}: ${outcome} in ${durationMs} ms (${about})${next}`;
}
