import { go, type Destination, type Next, type ScreenEvent } from '../app/event.js';
import type { Refusal } from '../wire/refusal.js';

type IntentAnswered = Extract<ScreenEvent, { type: 'intent_answered' }>;

/** After every call that moves an intent on, its state says what comes next; what cannot be refused at a field is looked up. */
export function answeredAction<State>(
  { answer }: IntentAnswered,
  onRefusal: (refusal: Refusal) => Next<State>,
): Next<State> | { readonly go: Destination } {
  if (answer.ok) return go({ to: 'intent', intent: answer.value });
  switch (answer.refusal.code) {
    // It has gone on without us, has lapsed, or its session has ended.
    case 'intent_not_confirmable':
    case 'intent_not_found':
    case 'session_not_open':
    case 'session_processing':
      return go({ to: 'session' });
    default:
      return onRefusal(answer.refusal);
  }
}
