import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Component, Visit } from '../../app/screen.js';
import { reduceAwaitedMoney } from '../awaited-money.js';

/** The step in which the buyer visits a page of the bank or provider. */
export function reduceVisit(state: Visit, event: ScreenEvent): Next<Visit> {
  const action = state.intent.next_action;
  if (event.type === 'set_out' && action?.type === 'redirect')
    return stay({ ...state, hasSetOut: true, refusal: null }, { do: 'visit', url: action.url });
  return reduceElsewhere(state, event, 'redirect');
}

/** The step in which the buyer pays in the provider's framed component. */
export function reduceComponent(state: Component, event: ScreenEvent): Next<Component> {
  return reduceElsewhere(state, event, 'provider_component');
}

/** Confirms the intent when the buyer is back or confirms to be, so that the provider is asked for its state. */
function reduceElsewhere<State extends Visit | Component>(
  state: State,
  event: ScreenEvent,
  action: 'redirect' | 'provider_component',
): Next<State> {
  if (event.type !== 'submitted' && event.type !== 'returned') return reduceAwaitedMoney(state, event, action);
  if (state.isSending || state.isLate) return stay(state);
  return stay(
    { ...state, isSending: true, refusal: null },
    { do: 'confirm_intent', id: state.intent.id, body: { action } },
  );
}
