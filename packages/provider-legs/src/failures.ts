import { FAILURE_CODES, type Failure, type FailureCode, type Stage } from '@gateramp/core/domain';
import type { LegFailure } from './ports/legs.js';

const FAILURE_CODES_OF_LEGS: ReadonlySet<string> = new Set(FAILURE_CODES);

/** Converts a failure of a leg. A code that the API does not define is reported as `error`. */
export function asFailure({ code, message, retryable }: LegFailure, stage: Stage): Failure {
  return { code: isFailureCode(code) ? code : 'error', stage, message, retryable };
}

function isFailureCode(code: string): code is FailureCode {
  return FAILURE_CODES_OF_LEGS.has(code);
}

export const BLOCKED: Failure = {
  code: 'sanctions_blocked',
  stage: 'screening',
  message: 'This wallet cannot be served.',
  retryable: false,
};

export const NOT_RECEIVED: Failure = {
  code: 'deposit_not_received',
  stage: 'deposit',
  message: 'The deposit did not arrive in time.',
  retryable: true,
};

/** Failures for deposits that do not pay for the operation. Amounts above the network fee have been returned when it fails. */
export const NOT_ENOUGH = {
  short: depositFailure('deposit_short', 'The deposit was less than the amount asked for.'),
  late: depositFailure('deposit_late', 'The deposit came after its deadline.'),
  wrongAsset: depositFailure('deposit_wrong_asset', 'The deposit was of another token than the one asked for.'),
  priceMoved: depositFailure('deposit_price_moved', 'The price changed before the deposit arrived.'),
} as const;

function depositFailure(code: FailureCode, what: string): Failure {
  return { code, stage: 'deposit', message: `${what} It goes back less the network fee.`, retryable: true };
}

/** The failure of an operation whose request ended before the leg had received the payment details. */
export function interrupted(stage: Stage): Failure {
  return { code: 'error', stage, message: 'The payment was interrupted. No money was taken.', retryable: true };
}

export function settlementError(stage: Stage): Failure {
  return {
    code: 'settlement_error',
    stage,
    message: 'The payment could not be completed. What was paid is being returned.',
    retryable: true,
  };
}

/** The failure of an operation that an operator ended. The shop knows how the money was settled. */
export const RESOLVED_AS_FAILED: Failure = {
  code: 'settlement_error',
  stage: 'return',
  message: 'The payment failed. Contact the shop about what was paid.',
  retryable: false,
};
