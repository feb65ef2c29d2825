import { go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Draft, Order, Terms } from '../../app/screen.js';
import { hasErrors } from '../../forms/form.js';
import { errorOf } from '../../forms/read.js';
import { amountOf, askQuotes, chosenQuote, keepQuoting, type Quoting } from '../quoting.js';
import { choicesOf, withChoice } from './choices.js';

/** Delay before a typed amount is validated and priced. */
const TYPING_MS = 500;

/** The order step: flow, payment method and price. */
export function reduceOrder(terms: Terms, state: Order, event: ScreenEvent): Next<Order> {
  const { draft } = state;
  const ask = (changed: Draft, flow = draft.flow): Next<Order> => {
    const asked = askQuotes(terms, flow, changed);
    return stay({ ...state, errors: amountErrors(terms, asked.draft), draft: asked.draft }, ...asked.effects);
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
      return askForAmount(terms, withAmountShown(terms, state), ask);
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

/** Shows how the typed amount was read. */
function withAmountShown(terms: Terms, state: Order): Order {
  const { draft } = state;
  const reading = amountOf(terms, draft);
  if (draft.amount === null || 'error' in reading) return state;
  return { ...state, draft: { ...draft, amount: reading.shown } };
}

function askForAmount(terms: Terms, state: Order, ask: (draft: Draft) => Next<Order>): Next<Order> {
  const { draft } = state;
  if (terms.sessionId !== null || draft.amount === null || draft.isAsking || draft.quotes !== null) return stay(state);
  const errors = amountErrors(terms, draft);
  return hasErrors(errors) ? stay({ ...state, errors }) : ask(draft);
}

function amountErrors(terms: Terms, draft: Draft): Order['errors'] {
  const amount = errorOf(amountOf(terms, draft));
  return amount === null ? {} : { amount };
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
