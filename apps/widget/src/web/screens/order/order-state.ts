import { go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Draft, Order, Terms } from '../../app/screen.js';
import { readAmount } from '../../money/read-amount.js';
import { askQuotes, chosenQuote, keepQuoting, type Quoting } from '../quoting.js';
import { choicesOf, decimalsOf, withChoice } from './choices.js';

/** Delay before a typed amount is validated and priced. */
const TYPING_MS = 500;

/** The order step: flow, payment method and price. */
export function reduceOrder(terms: Terms, state: Order, event: ScreenEvent): Next<Order> {
  const { draft } = state;
  const ask = (changed: Draft, flow = draft.flow): Next<Order> => {
    const asked = askQuotes(terms, flow, changed);
    return stay({ ...state, errors: {}, draft: asked.draft }, ...asked.effects);
  };
  switch (event.type) {
    case 'chose_flow': {
      if (terms.flow !== null || event.flow === draft.flow || !terms.flows.includes(event.flow)) return stay(state);
      return ask(draft, event.flow);
    }
    case 'chose_method': {
      const serves = draft.quotes?.quotes.some((quote) => quote.available && quote.payment_method === event.method);
      return stay(serves === true ? { ...state, draft: { ...draft, method: event.method } } : state);
    }
    case 'chose':
      if (!choicesOf(terms, draft, event.of).includes(event.value)) return stay(state);
      return ask({ ...withChoice(draft, event.of, event.value), quotes: null, lapsesAt: null });
    case 'typed':
      return event.field === 'amount' && terms.sessionId === null ? typedAmount(state, event.value) : stay(state);
    case 'elapsed':
      return event.timer === 'typing' ? askForAmount(terms, state, ask) : kept(terms, state, event);
    case 'left_field':
      return draft.quotes === null && !draft.isAsking ? askForAmount(terms, state, ask) : stay(state);
    case 'chose_wallet': {
      const { component } = event;
      if (chosenQuote(draft) === null) return stay(state);
      return go({ to: 'wallet', draft: { ...draft, method: component.payment_method, component }, errors: {} });
    }
    case 'retried':
      return ask(draft);
    case 'submitted':
      if (terms.sessionId === null) return askForAmount(terms, state, ask);
      return chosenQuote(draft) === null ? stay(state) : go({ to: 'wallet', draft, errors: {} });
    default:
      return kept(terms, state, event);
  }
}

/** Discards the quotes of the previous amount. The increased `ask` also invalidates a pending answer. */
function typedAmount(state: Order, amount: string): Next<Order> {
  const draft: Draft = {
    ...state.draft,
    amount,
    ask: state.draft.ask + 1,
    isAsking: false,
    quotes: null,
    lapsesAt: null,
    refusal: null,
  };
  return stay({ ...state, errors: {}, draft }, { do: 'wait', timer: 'typing', ms: TYPING_MS });
}

function askForAmount(terms: Terms, state: Order, ask: (draft: Draft) => Next<Order>): Next<Order> {
  const { draft } = state;
  if (terms.sessionId !== null || draft.amount === null || draft.isAsking || draft.quotes !== null) return stay(state);
  if (draft.amount.trim() === '') return stay({ ...state, errors: { amount: 'required' } });
  const isRead = readAmount(draft.amount, decimalsOf(terms, draft.currency)) !== null;
  return isRead ? ask(draft) : stay({ ...state, errors: { amount: 'not_an_amount' } });
}

function kept(terms: Terms, state: Order, event: ScreenEvent): Next<Order> {
  const quoting = keepQuoting(terms, state.draft, event);
  if (quoting === null) return stay(state);
  const code = quoting.draft.refusal?.code ?? null;
  if (code === 'session_not_open') return go({ to: 'session' });
  if (terms.sessionId === null && (code === 'amount_below_minimum' || code === 'amount_above_maximum'))
    return atAmount(state, quoting, code);
  return stay({ ...state, draft: quoting.draft }, ...quoting.effects);
}

/** Shows a limit error at the amount field. */
function atAmount(
  state: Order,
  { draft, effects }: Quoting,
  amount: 'amount_below_minimum' | 'amount_above_maximum',
): Next<Order> {
  return stay({ ...state, errors: { amount }, draft: { ...draft, refusal: null } }, ...effects);
}
