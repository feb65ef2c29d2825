import { go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Progress } from '../../app/screen.js';
import type { Intent } from '../../wire/types.js';
import { waitToPoll } from '../polling.js';

export function enterProgress(intent: Intent): Next<Progress> {
  return stay<Progress>({ at: 'progress', intent, polls: 0, isOffline: false }, waitToPoll(0));
}

/** Money is moving. Nothing is asked of the buyer; the intent is looked at until it says something else. */
export function reduceProgress(state: Progress, event: ScreenEvent): Next<Progress> {
  switch (event.type) {
    case 'elapsed':
      if (event.timer !== 'poll') return stay(state);
      return stay({ ...state, polls: state.polls + 1 }, { do: 'read_intent', id: state.intent.id });
    case 'intent_answered': {
      if (event.call !== 'read') return stay(state);
      const { answer } = event;
      if (!answer.ok) return stay({ ...state, isOffline: true }, waitToPoll(state.polls));
      const intent = answer.value;
      return isMoving(intent)
        ? stay({ ...state, intent, isOffline: false }, waitToPoll(state.polls))
        : go({ to: 'intent', intent });
    }
    default:
      return stay(state);
  }
}

export function isMoving({ status }: Intent): boolean {
  return status === 'created' || status === 'processing';
}
