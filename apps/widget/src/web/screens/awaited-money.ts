import { go, stay, type Effect, type Next, type ScreenEvent } from '../app/event.js';
import type { AwaitedMoney } from '../app/screen.js';
import type { Intent, NextAction } from '../wire/types.js';
import { answeredAction } from './answered-action.js';
import { waitToPoll } from './polling.js';

/** Enters a screen that waits for money. `until` is an instant on this device's clock. */
export function enterTransfer<At extends 'deposit' | 'transfer' | 'visit' | 'component'>(
  at: At,
  intent: Intent,
  until: number,
) {
  const state: AwaitedMoney & { readonly at: At } = {
    at,
    intent,
    until,
    isLate: false,
    polls: 0,
    isSending: false,
    refusal: null,
  };
  const effects: readonly Effect[] = [waitToPoll(0), { do: 'wait_until', timer: 'deposit', at: until }];
  return { state, effects };
}

/** Polls the intent while it waits, so that the checkout continues when the money arrives, even if the buyer confirms nothing. */
export function reduceAwaitedMoney<State extends AwaitedMoney>(
  state: State,
  event: ScreenEvent,
  awaited: NextAction['type'],
): Next<State> {
  const { intent, polls, isSending } = state;
  switch (event.type) {
    case 'cancelled':
      if (isSending) return stay(state);
      return stay({ ...state, isSending: true, refusal: null }, { do: 'cancel_intent', id: intent.id });
    case 'elapsed':
      // The money may have arrived at the last moment, so the service decides what happens to it.
      if (event.timer === 'deposit') return stay({ ...state, isLate: true }, waitToPoll(0));
      if (event.timer !== 'poll') return stay(state);
      return isSending
        ? stay(state, waitToPoll(polls))
        : stay({ ...state, polls: polls + 1 }, { do: 'read_intent', id: intent.id });
    case 'intent_answered': {
      if (event.call !== 'read')
        return answeredAction(event, intent, (refusal) =>
          stay({ ...state, isSending: false, refusal }, waitToPoll(polls)),
        );
      const { answer } = event;
      if (isSending || !answer.ok) return stay(state, waitToPoll(polls));
      const isStillAwaited = answer.value.next_action?.type === awaited;
      return isStillAwaited ? stay(state, waitToPoll(polls)) : go({ to: 'intent', intent: answer.value });
    }
    default:
      return stay(state);
  }
}
