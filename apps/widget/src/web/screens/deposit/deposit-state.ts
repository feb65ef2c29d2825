import { go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Deposit } from '../../app/screen.js';
import type { Intent } from '../../wire/types.js';
import { answeredAction } from '../answered-action.js';
import { waitToPoll } from '../polling.js';

/** `until` is an instant on this device's clock. */
export function enterDeposit(intent: Intent, until: number): Next<Deposit> {
  return stay<Deposit>(
    { at: 'deposit', intent, until, isLate: false, polls: 0, isSending: false, refusal: null },
    waitToPoll(0),
    { do: 'wait_until', timer: 'deposit', at: until },
  );
}

/** Where the crypto is awaited. It may be seen before the buyer says that it was sent, so the intent is looked at meanwhile. */
export function reduceDeposit(state: Deposit, event: ScreenEvent): Next<Deposit> {
  const { intent, polls, isSending, isLate } = state;
  switch (event.type) {
    case 'submitted':
      if (isSending || isLate) return stay(state);
      return stay(
        { ...state, isSending: true, refusal: null },
        { do: 'confirm_intent', id: intent.id, body: { action: 'crypto_deposit' } },
      );
    case 'cancelled':
      if (isSending) return stay(state);
      return stay({ ...state, isSending: true, refusal: null }, { do: 'cancel_intent', id: intent.id });
    case 'elapsed':
      // What has become of it is the service's to say: it may have come at the last moment.
      if (event.timer === 'deposit') return stay({ ...state, isLate: true }, waitToPoll(0));
      if (event.timer !== 'poll') return stay(state);
      return isSending
        ? stay(state, waitToPoll(polls))
        : stay({ ...state, polls: polls + 1 }, { do: 'read_intent', id: intent.id });
    case 'intent_answered': {
      if (event.call !== 'read')
        return answeredAction(event, (refusal) => stay({ ...state, isSending: false, refusal }, waitToPoll(polls)));
      const { answer } = event;
      if (isSending || !answer.ok) return stay(state, waitToPoll(polls));
      const isStillAwaited = answer.value.next_action?.type === 'crypto_deposit';
      return isStillAwaited ? stay(state, waitToPoll(polls)) : go({ to: 'intent', intent: answer.value });
    }
    default:
      return stay(state);
  }
}
