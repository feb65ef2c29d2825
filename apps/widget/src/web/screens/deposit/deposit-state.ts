import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Deposit } from '../../app/screen.js';
import { reduceAwaitedMoney } from '../awaited-money.js';

/** The screen that waits for a crypto deposit. The buyer can confirm that it was sent. */
export function reduceDeposit(state: Deposit, event: ScreenEvent): Next<Deposit> {
  if (event.type !== 'submitted') return reduceAwaitedMoney(state, event, 'crypto_deposit');
  if (state.isSending || state.isLate) return stay(state);
  return stay(
    { ...state, isSending: true, refusal: null },
    { do: 'confirm_intent', id: state.intent.id, body: { action: 'crypto_deposit' } },
  );
}
