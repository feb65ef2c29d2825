/** How often, how long, and how much is waited (contract of the SDKs; held to `spec/retry-vectors.json`). */
export const RETRY_POLICY = {
  maxRetries: 2,
  backoffBaseMs: 500,
  backoffMaxMs: 8000,
  /** If the service asks for a longer wait, the call fails instead. */
  retryAfterMaxSeconds: 60,
} as const;

const RETRIED_STATUSES = [408, 425, 429, 500, 502, 503, 504];

/** An attempt without success. `lost`: the answer could not be read as JSON. `too_large`: it was above the limit, and would be again. */
export type Failure =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'connection' | 'timeout' | 'lost' | 'too_large' };

interface RetryQuestion {
  readonly retriesMade: number;
  readonly maxRetries: number;
  /** 0 to 1. */
  readonly chance: number;
}

/** How long to wait before the operation is asked for again; null where it is not. */
export function retryDelayMs(failure: Failure, { retriesMade, maxRetries, chance }: RetryQuestion): number | null {
  if (retriesMade >= maxRetries || failure.kind === 'too_large') return null;
  const asked = failure.kind === 'answer' ? (failure.retryAfterSeconds ?? 0) : 0;
  if (failure.kind === 'answer' && !RETRIED_STATUSES.includes(failure.status)) return null;
  if (asked > RETRY_POLICY.retryAfterMaxSeconds) return null;
  const ceiling = Math.min(RETRY_POLICY.backoffMaxMs, RETRY_POLICY.backoffBaseMs * 2 ** retriesMade);
  return asked * 1000 + Math.round(chance * ceiling);
}

/** Whether the service may have done the work although no answer says so. */
export const mayHaveHappened = (failure: Failure): boolean => failure.kind !== 'answer' || failure.status >= 500;

/** Seconds to wait: those of `Retry-After-short`, else of `Retry-After`, which may be a date. Null where neither says any. */
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
