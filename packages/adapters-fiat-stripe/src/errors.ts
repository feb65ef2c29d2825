import type { LegFailure } from '@gateramp/provider-legs';

/** The effect of a failed request to Stripe. */
export type StripeProblem =
  /** Stripe refused it: it had no effect. */
  | { readonly kind: 'refused'; readonly failure: LegFailure; readonly code: string }
  /** The response does not show the effect, and the same idempotency key would return it again. */
  | { readonly kind: 'key_spent'; readonly code: string }
  | { readonly kind: 'unknown'; readonly code: string };

/**
 * The result of a call is unknown. The message contains only codes: Stripe's own messages may contain parts of a key or the buyer's input.
 */
export class StripeUnknownResultError extends Error {
  constructor(call: string, code: string, requestId: string | null) {
    super(
      `The result of the Stripe call ${call} is unknown (${code}${requestId === null ? '' : `, request ${requestId}`}).`,
    );
    this.name = 'StripeUnknownResultError';
  }
}

/** The members that are read of an error of the `stripe` package. */
interface StripeErrorFields {
  readonly type: string;
  readonly code: string | null;
  readonly declineCode: string | null;
  readonly param: string | null;
  readonly requestId: string | null;
}

/** Reads an error of the `stripe` package; null for any other error. */
export function stripeErrorOf(error: unknown): StripeErrorFields | null {
  if (!(error instanceof Error) || !('type' in error) || !String(error.type).startsWith('Stripe')) return null;
  const text = (member: string) => {
    const value: unknown = Reflect.get(error, member);
    return typeof value === 'string' ? value : null;
  };
  return {
    type: String(error.type),
    code: text('code'),
    declineCode: text('decline_code'),
    param: text('param'),
    requestId: text('requestId'),
  };
}

/** See https://docs.stripe.com/error-handling. An error that may have had an effect is `unknown`. */
export function problemOf({ type, code, declineCode }: StripeErrorFields): StripeProblem {
  switch (type) {
    case 'StripeCardError':
      return { kind: 'refused', failure: declined(code, declineCode), code: declineCode ?? code ?? 'card_error' };
    case 'StripeInvalidRequestError':
      return isBusy(code)
        ? { kind: 'unknown', code: code ?? 'busy' }
        : { kind: 'refused', failure: invalid(code), code: code ?? 'invalid_request' };
    case 'StripeAuthenticationError':
    case 'StripePermissionError':
      return { kind: 'refused', failure: UNAVAILABLE, code: code ?? 'key_refused' };
    case 'StripeIdempotencyError':
      return isBusy(code)
        ? { kind: 'unknown', code: code ?? 'busy' }
        : { kind: 'key_spent', code: 'idempotency_error' };
    case 'StripeAPIError':
      return { kind: 'key_spent', code: code ?? 'api_error' };
    // The request had no effect. The same call is repeated later.
    case 'StripeRateLimitError':
      return { kind: 'unknown', code: code ?? 'rate_limit' };
    default:
      return { kind: 'unknown', code: code ?? 'connection' };
  }
}

/** Another request is using the same object or idempotency key. */
function isBusy(code: string | null): boolean {
  return code === 'lock_timeout' || code === 'idempotency_key_in_use' || code === 'rate_limit';
}

const UNAVAILABLE: LegFailure = {
  code: 'error',
  message: 'Payments are not available at the moment. No money was taken.',
  retryable: true,
};

const AUTHENTICATION_CODES: ReadonlySet<string> = new Set([
  'authentication_required',
  'payment_intent_authentication_failure',
  'authentication_not_handled',
]);

/** The failure of a declined card. Another card may succeed. */
export function declined(code: string | null, declineCode: string | null): LegFailure {
  if (AUTHENTICATION_CODES.has(code ?? '') || declineCode === 'authentication_required')
    return {
      code: 'payment_authentication_failed',
      message: 'The payment was not confirmed with the bank.',
      retryable: true,
    };
  if (declineCode === 'insufficient_funds' || code === 'insufficient_funds')
    return { code: 'insufficient_funds', message: 'The card has insufficient funds.', retryable: true };
  return { code: 'payment_declined', message: 'The card was declined.', retryable: true };
}

function invalid(code: string | null): LegFailure {
  if (code === 'amount_too_small' || code === 'amount_too_large')
    return { code: 'limit_exceeded', message: 'This amount cannot be paid this way.', retryable: false };
  return { code: 'error', message: 'The payment could not be made. No money was taken.', retryable: true };
}
