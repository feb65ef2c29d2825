import { go, type Departure, type Next, type ScreenEvent } from '../app/event.js';
import type { Refusal } from '../wire/refusal.js';

type IntentAnswered = Extract<ScreenEvent, { type: 'intent_answered' }>;

/** After every call that moves an intent on, its state says what comes next; what cannot be refused at a field is looked up. */
export function answeredAction<State>(
  { answer }: IntentAnswered,
  onRefusal: (refusal: Refusal) => Next<State>,
): Next<State> | Departure {
  if (answer.ok) return go({ to: 'intent', intent: answer.value });
  return hasGoneOn(answer.refusal) ? go({ to: 'session' }) : onRefusal(answer.refusal);
}

/** It has gone on without us, has lapsed, or its session has ended. */
export function hasGoneOn({ code }: Refusal): boolean {
  return ['intent_not_confirmable', 'intent_not_found', 'session_not_open', 'session_processing'].includes(code);
}
