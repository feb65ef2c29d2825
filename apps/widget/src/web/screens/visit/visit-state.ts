import { stay, type IntentCall, type Next, type ScreenEvent } from '../../app/event.js';
import type { Component, Visit } from '../../app/screen.js';
import { reduceAwaitedMoney } from '../awaited-money.js';

/** The step in which the buyer visits a page of the bank or provider. */
export function reduceVisit(state: Visit, event: ScreenEvent): Next<Visit> {
  const action = state.intent.next_action;
  switch (event.type) {
    case 'set_out':
      if (action?.type !== 'redirect') return stay(state);
      return stay({ ...state, hasSetOut: true, refusal: null }, { do: 'visit', url: action.url });
    case 'window_blocked':
      return stay({ ...state, isBlocked: true });
    case 'may_be_back':
      return state.hasSetOut && !state.isSending ? asked({ ...state, isUnasked: true }, 'redirect') : stay(state);
    case 'submitted':
    case 'returned':
      return reduceElsewhere({ ...state, isUnasked: false }, event, 'redirect');
    case 'intent_answered':
      return answered(state, event.call, reduceElsewhere(state, event, 'redirect'));
    default:
      return reduceElsewhere(state, event, 'redirect');
  }
}

/** An unasked confirmation that changes nothing leaves the page as it is. */
function answered({ isUnasked, refusal }: Visit, call: IntentCall, next: Next<Visit>): Next<Visit> {
  if (!isUnasked || call === 'read' || 'go' in next) return next;
  return { ...next, state: { ...next.state, refusal, isUnasked: false } };
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
  if (state.isSending) return stay(state);
  return asked({ ...state, refusal: null }, action);
}

function asked<State extends Visit | Component>(state: State, action: 'redirect' | 'provider_component'): Next<State> {
  if (state.isLate) return stay(state);
  return stay({ ...state, isSending: true }, { do: 'confirm_intent', id: state.intent.id, body: { action } });
}
