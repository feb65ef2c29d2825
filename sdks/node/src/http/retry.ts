/** The number of retries, and the bounds of their waits (contract of the SDKs; checked against `spec/retry-vectors.json`). */
export const RETRY_POLICY = {
  maxRetries: 2,
  backoffBaseMs: 500,
  backoffMaxMs: 8000,
  /** If the service asks for a longer wait, the call fails instead. */
  retryAfterMaxSeconds: 60,
} as const;

const RETRIED_STATUSES = [408, 425, 429, 500, 502, 503, 504];

/** A failed attempt. `lost`: the response was not JSON. `too_large`: the response exceeded the limit, and a retry would as well. */
export type Failure =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'connection' | 'timeout' | 'lost' | 'too_large' };

interface RetryContext {
  readonly retriesMade: number;
  readonly maxRetries: number;
  /** A random number from 0 to 1. */
  readonly chance: number;
}

/** The wait before the next retry; null if there is none. */
export function retryDelayMs(failure: Failure, { retriesMade, maxRetries, chance }: RetryContext): number | null {
  if (retriesMade >= maxRetries || failure.kind === 'too_large') return null;
  const retryAfterSeconds = failure.kind === 'answer' ? (failure.retryAfterSeconds ?? 0) : 0;
  if (failure.kind === 'answer' && !RETRIED_STATUSES.includes(failure.status)) return null;
  if (retryAfterSeconds > RETRY_POLICY.retryAfterMaxSeconds) return null;
  const ceiling = Math.min(RETRY_POLICY.backoffMaxMs, RETRY_POLICY.backoffBaseMs * 2 ** retriesMade);
  return retryAfterSeconds * 1000 + Math.round(chance * ceiling);
}

/** Whether the service may have executed the operation although no response confirms it. */
export const mayHaveHappened = (failure: Failure): boolean => failure.kind !== 'answer' || failure.status >= 500;

/** The wait in seconds of `Retry-After-short`, else of `Retry-After`, which may be a date. Null without a valid header. */
export function retryAfterSeconds(headers: { get(name: string): string | null }, now: number): number | null {
  return (
    seconds(headers.get('retry-after-short')) ??
    seconds(headers.get('retry-after')) ??
    untilDate(headers.get('retry-after'), now)
  );
}

const seconds = (value: string | null): number | null =>
  value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function untilDate(value: string | null, now: number): number | null {
  if (value === null || !HTTP_DATE.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
