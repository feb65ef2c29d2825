import { go, type Navigation, type Next, type ScreenEvent } from '../app/event.js';
import type { Refusal } from '../wire/refusal.js';
import type { Intent, NextAction } from '../wire/types.js';

type IntentAnswered = Extract<ScreenEvent, { type: 'intent_answered' }>;

/**
 * Handles the answer of a call that advances an intent: the new state of the intent determines the next screen, and an outdated intent
 * makes the session be read again. If a confirmation leaves the intent with the same action, it did not reach the provider or was not
 * accepted, and the buyer can try again.
 */
export function answeredAction<State>(
  { call, answer }: IntentAnswered,
  intent: Intent,
  onRefusal: (refusal: Refusal) => Next<State>,
): Next<State> | Navigation {
  if (answer.ok) {
    const isAskedAgain = call === 'confirm' && asksTheSame(intent, answer.value);
    return isAskedAgain ? onRefusal(notTaken(intent)) : go({ to: 'intent', intent: answer.value });
  }
  return isOutdated(answer.refusal) ? go({ to: 'session' }) : onRefusal(answer.refusal);
}

function asksTheSame(before: Intent, after: Intent): boolean {
  const isAsking = after.status === 'requires_action' && after.next_action !== null;
  return isAsking && JSON.stringify(after.next_action) === JSON.stringify(before.next_action);
}

function notTaken({ next_action: action }: Intent): Refusal {
  return { code: notTakenCode(action?.type), fields: [], requestId: null };
}

function notTakenCode(type: NextAction['type'] | undefined): string {
  switch (type) {
    case 'crypto_deposit':
      return 'deposit_not_confirmed';
    case 'redirect':
    case 'provider_component':
      return 'visit_not_finished';
    default:
      return 'confirmation_not_taken';
  }
}

/** Whether the intent has progressed elsewhere or has expired, or its session has ended. */
export function isOutdated({ code }: Refusal): boolean {
  return ['intent_not_confirmable', 'intent_not_found', 'session_not_open', 'session_processing'].includes(code);
}
