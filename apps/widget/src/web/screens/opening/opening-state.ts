import { go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Broken, Ended, Opening } from '../../app/screen.js';

/** Finds the first screen: resumes the intent of the session if there is one, shows an ended session, and otherwise starts the order. */
export function reduceOpening(state: Opening, event: ScreenEvent): Next<Opening | Ended | Broken> {
  switch (event.type) {
    case 'session_answered': {
      const { answer } = event;
      if (!answer.ok) return stay<Broken>({ at: 'broken', refusal: answer.refusal });
      const { status, intent_id: intentId, settled_intent_id: settledId } = answer.value;
      if (status === 'completed' && settledId)
        return stay<Opening>({ ...state, isSettled: true }, { do: 'read_intent', id: settledId });
      if (status !== 'open') return stay<Ended>({ at: 'ended', status, settled: null });
      return intentId === null ? go({ to: 'start' }) : stay(state, { do: 'read_intent', id: intentId });
    }
    case 'intent_answered':
      if (event.call !== 'read') return stay(state);
      if (state.isSettled)
        return stay<Ended>({ at: 'ended', status: 'completed', settled: event.answer.ok ? event.answer.value : null });
      return event.answer.ok
        ? go({ to: 'intent', intent: event.answer.value })
        : stay<Broken>({ at: 'broken', refusal: event.answer.refusal });
    default:
      return stay(state);
  }
}
