import { go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Draft, Failed, FailedAttempt, Terms, FailureAction } from '../../app/screen.js';
import type { Intent, PaymentMethod } from '../../wire/types.js';
import { walletFields } from '../wallet/wallet-state.js';

/**
 * Enters the failure screen. The service determines whether a retry is possible. If not, the buyer may use another wallet or payment
 * method, or can only return to the shop.
 */
export function enterFailure(terms: Terms, memory: Draft | null, attempt: FailedAttempt): Failed {
  const wayOn = failureActionOf(terms, memory, attempt);
  return { at: 'failure', ...attempt, wayOn, draft: memory === null ? null : draftFor(wayOn, memory, attempt.intent) };
}

export function reduceFailure(state: Failed, event: ScreenEvent): Next<Failed> {
  return event.type === 'retried' && state.wayOn !== null ? go({ to: 'start' }) : stay(state);
}

function failureActionOf(terms: Terms, memory: Draft | null, { intent, failure }: FailedAttempt): FailureAction {
  switch (failure.code) {
    case 'wallet_address_invalid':
    case 'sanctions_blocked':
      return walletFields(terms, intent).length > 0 ? 'other_wallet' : null;
    // The identity of a buyer does not depend on the payment method.
    case 'kyc_rejected':
      return failure.retryable ? 'again' : null;
    default:
      if (failure.retryable) return 'again';
      return memory === null || terms.flows.length > 1 || otherMethod(memory, intent) !== null ? 'other_way' : null;
  }
}

function draftFor(wayOn: FailureAction, memory: Draft, intent: Intent): Draft {
  switch (wayOn) {
    case 'other_wallet':
      return { ...memory, wallet: '', refund: '' };
    case 'other_way':
      return { ...memory, method: otherMethod(memory, intent) };
    case 'again':
    case null:
      return memory;
  }
}

export function otherMethod({ quotes }: Draft, { payment_method: failed }: Intent): PaymentMethod | null {
  const other = quotes?.quotes.find((quote) => quote.available && quote.payment_method !== failed);
  return other?.payment_method ?? null;
}
