import { go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Progress } from '../../app/screen.js';
import type { Intent, NextAction } from '../../wire/types.js';
import { waitToPoll } from '../polling.js';

export function enterProgress(intent: Intent): Next<Progress> {
  return stay<Progress>({ at: 'progress', intent, polls: 0, isOffline: false }, waitToPoll(0));
}

/** The progress step, while money moves or documents are in review. Polls the intent until it needs the buyer or ends. */
export function reduceProgress(state: Progress, event: ScreenEvent): Next<Progress> {
  switch (event.type) {
    case 'elapsed':
      if (event.timer !== 'poll') return stay(state);
      return stay({ ...state, polls: state.polls + 1 }, { do: 'read_intent', id: state.intent.id });
    case 'cancelled':
      return isInReview(state.intent) ? stay(state, { do: 'cancel_intent', id: state.intent.id }) : stay(state);
    case 'intent_answered': {
      // After a refused cancellation the next poll shows the state of the intent.
      if (event.call !== 'read' && !event.answer.ok) return stay(state);
      const { answer } = event;
      if (!answer.ok) return stay({ ...state, isOffline: true }, waitToPoll(state.polls));
      const intent = answer.value;
      return isMoving(intent) || isElsewhere(intent) || isInReview(intent)
        ? stay({ ...state, intent, isOffline: false }, waitToPoll(state.polls))
        : go({ to: 'intent', intent });
    }
    default:
      return stay(state);
  }
}

const KNOWN_ACTIONS: Readonly<Record<NextAction['type'], true>> = {
  kyc: true,
  payment_authentication: true,
  crypto_deposit: true,
  bank_transfer: true,
  redirect: true,
  provider_component: true,
};

/** Whether the intent requires an action that this version has no screen for. */
export function isElsewhere({ status, next_action: action }: Intent): boolean {
  return status === 'requires_action' && action !== null && !Object.hasOwn(KNOWN_ACTIONS, action.type);
}

/** Whether the provider is reviewing the buyer's documents. */
export function isInReview({ status, next_action: action }: Intent): boolean {
  return status === 'requires_action' && action?.type === 'kyc' && action.in_review === true;
}

function isMoving({ status }: Intent): boolean {
  return status === 'created' || status === 'processing';
}
