import { go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Order, Terms } from '../../app/screen.js';
import { askQuotes, chosenQuote, keepQuoting } from '../quoting.js';

/** What to do, how to pay, and what it comes to. */
export function reduceOrder(terms: Terms, state: Order, event: ScreenEvent): Next<Order> {
  const { draft } = state;
  switch (event.type) {
    case 'chose_flow': {
      if (terms.flow !== null || event.flow === draft.flow || !terms.flows.includes(event.flow)) return stay(state);
      const asked = askQuotes(terms, event.flow, draft);
      return stay({ ...state, draft: asked.draft }, ...asked.effects);
    }
    case 'chose_method': {
      const serves = draft.quotes?.quotes.some((quote) => quote.available && quote.payment_method === event.method);
      return stay(serves === true ? { ...state, draft: { ...draft, method: event.method } } : state);
    }
    case 'retried': {
      const asked = askQuotes(terms, draft.flow, draft);
      return stay({ ...state, draft: asked.draft }, ...asked.effects);
    }
    case 'submitted':
      if (chosenQuote(draft) === null || terms.sessionId === null) return stay(state);
      return go({ to: 'wallet', draft, faults: {} });
    default: {
      const kept = keepQuoting(terms, draft, event);
      if (kept === null) return stay(state);
      return kept.draft.refusal?.code === 'session_not_open'
        ? go({ to: 'session' })
        : stay({ ...state, draft: kept.draft }, ...kept.effects);
    }
  }
}
