import { go, stay, type Destination, type Effect, type Next, type ScreenEvent } from '../../app/event.js';
import type { Draft, FailedAttempt, Payment, PaymentField, Terms } from '../../app/screen.js';
import { readAccountNumber, readRoutingNumber } from '../../forms/ach.js';
import { readCardNumber, readCvc, readExpiry } from '../../forms/card.js';
import { emptyForm, errorsOf, hasErrors, left, refused, typed, valueOf, type Readers } from '../../forms/form.js';
import { readIban } from '../../forms/iban.js';
import { readName } from '../../forms/read.js';
import type { ApiResult } from '../../wire/refusal.js';
import type {
  EmbedSession,
  Failure,
  Intent,
  IntentBody,
  OfferedComponent,
  PaymentMethod,
  Quote,
} from '../../wire/types.js';
import { askQuotes, chosenQuote, keepQuoting, ASK_AGAIN, quoteBody, withoutPrice } from '../quoting.js';
import { ANOTHER_CARD, canSave, cardToPay, chosenCard, pricing, reduceSavedCards } from './saved-cards-state.js';
import { refusedAddresses, walletErrors, walletFields } from '../wallet/wallet-state.js';

export function enterPayment(draft: Draft): Payment {
  return {
    at: 'payment',
    draft: { ...draft, card: null },
    form: emptyForm<PaymentField>([
      'card_number',
      'expiry',
      'cvc',
      'iban',
      'routing_number',
      'account_number',
      'account_holder',
    ]),
    isUnknown: false,
    isPending: false,
    absences: 0,
    declined: null,
    isSaving: false,
    removing: null,
  };
}

const DECLINES: ReadonlySet<string> = new Set(['payment_declined', 'insufficient_funds']);

/**
 * Returns to the form after a decline, with the same card still chosen. Null if that is impossible: for another failure, another payment
 * method or an unknown order.
 */
export function enterDeclined(terms: Terms, memory: Draft | null, attempt: FailedAttempt): Next<Payment> | null {
  if (memory === null || !isDeclinedCard(terms, memory, attempt.failure)) return null;
  if (hasErrors(walletErrors(terms, memory))) return null;
  return withNewPrice(terms, declined({ ...enterPayment(memory), draft: memory }, attempt));
}

function isDeclinedCard(terms: Terms, draft: Draft, { code, retryable }: Failure): boolean {
  if (!retryable || !DECLINES.has(code)) return false;
  return (
    paymentFields(terms, draft).includes('card_number') ||
    (draft.method !== null && cardToPay(terms, draft)?.type === draft.method)
  );
}

function declined(state: Payment, attempt: FailedAttempt): Payment {
  const errors = { card_number: 'card_declined' } as const;
  return { ...state, declined: attempt, form: { ...state.form, isSending: false, refusal: null, errors } };
}

/** The provider's card component, if it replaces our card fields because the shown or requested price is from that provider. */
function replacingComponent({ components }: Terms, draft: Draft): OfferedComponent | undefined {
  if (draft.flow !== 'on_ramp') return undefined;
  const provider = draft.isAsking ? null : (chosenQuote(draft)?.provider ?? null);
  return components.find(
    (one) =>
      one.wallet === null && one.payment_method === draft.method && (draft.isAsking || one.provider === provider),
  );
}

/** The fields required by the payment or payout method. */
export function paymentFields(terms: Terms, draft: Draft): readonly PaymentField[] {
  const { flow, method } = draft;
  if (flow === 'off_ramp')
    return quoteBody(terms, draft).currency === 'USD'
      ? ['account_holder', 'routing_number', 'account_number']
      : ['account_holder', 'iban'];
  const isCardForm = flow === 'on_ramp' && method === 'card' && replacingComponent(terms, draft) === undefined;
  return isCardForm ? ['card_number', 'expiry', 'cvc'] : [];
}

/** The fields to show. A saved card only needs its security code, if the provider requires it. */
export function shownFields(terms: Terms, state: Payment): readonly PaymentField[] {
  const saved = chosenCard(terms, state);
  if (saved === null) return paymentFields(terms, state.draft);
  return saved.cvc_required ? ['cvc'] : [];
}

/**
 * The payment step: a summary of the order and the payment or payout details. Card and account details are sent with the request and not
 * stored.
 */
export function reducePayment(terms: Terms, state: Payment, event: ScreenEvent): Next<Payment> {
  const { draft, form } = state;
  const handled = reduceSavedCards(terms, state, event);
  if (handled !== null) return handled;
  switch (event.type) {
    case 'typed': {
      // Typing a number chooses a new card, so that saved cards listed later do not replace the form.
      const card = event.field === 'card_number' ? ANOTHER_CARD : draft.card;
      return stay({
        ...state,
        isPending: false,
        draft: { ...draft, card },
        form: typed(form, event.field, event.value),
      });
    }
    case 'left_field':
      return stay({ ...state, form: left(form, event.field, READERS) });
    case 'submitted': {
      // The last request may have created an attempt; the session is already being read to find out.
      if (state.isUnknown) return stay(state);
      const quote = chosenQuote(draft);
      if (form.isSending || draft.isAsking || quote === null) return stay(state);
      const errors = errorsOf(form, shownFields(terms, state), readersAt(event.at));
      if (hasErrors(errors)) return stay({ ...state, form: { ...form, errors, refusal: null } });
      const byForm: Draft = { ...draft, component: null };
      if (draft.component !== null && !isPricedFor(terms, byForm))
        return stay({ ...state, draft: byForm, isPending: true });
      return sending(terms, state, intentBody(terms, state, quote));
    }
    case 'chose_wallet': {
      const quote = chosenQuote(draft);
      if (form.isSending || state.isUnknown || draft.isAsking || quote === null) return stay(state);
      const { component } = event;
      if (quote.provider !== component.provider) return priceWallet(state, component);
      return sending(terms, state, { ...intentBody(terms, state, quote), payment_details: tokenOf(component) });
    }
    case 'went_back':
      return form.isSending || state.isUnknown ? stay(state) : go(stepBefore(terms, { ...draft, component: null }));
    case 'intent_answered':
      return event.call === 'create' && form.isSending ? created(terms, state, event.answer) : stay(state);
    case 'session_answered':
      return state.isUnknown ? attemptKnown(terms, state, event.answer) : stay(state);
    case 'chose_method':
      return form.isSending ? stay(state) : go({ to: 'order', draft: withMethod(draft, event.method) });
    case 'retried':
      return form.isSending || state.isUnknown || !draft.isAsking ? stay(state) : withNewPrice(terms, state);
    case 'went_online':
      return askAgain(terms, state);
    default:
      return event.type === 'elapsed' && event.timer === 'poll'
        ? askAgain(terms, state)
        : keepPrice(terms, state, event);
  }
}

function sending(terms: Terms, state: Payment, body: IntentBody): Next<Payment> {
  return stay(
    {
      ...state,
      declined: null,
      draft: { ...state.draft, lastFour: lastFourOf(terms, body.payment_details) },
      form: { ...state.form, errors: {}, refusal: null, isSending: true },
    },
    { do: 'create_intent', body },
  );
}

function lastFourOf({ saved }: Terms, details: IntentBody['payment_details']): string | null {
  if (details === null || 'token' in details) return null;
  if ('card_number' in details) return details.card_number.slice(-4);
  return saved.find(({ id }) => id === details.saved_method)?.last4 ?? null;
}

function keepPrice(terms: Terms, state: Payment, event: ScreenEvent): Next<Payment> {
  const kept = keepQuoting(terms, state.draft, event);
  if (kept === null) return stay(state);
  const { draft, effects } = kept;
  const isDue = state.isPending && event.type === 'quotes_answered' && draft.refusal === null && !draft.isRenewed;
  const next: Payment = { ...state, draft, isPending: false };
  if (isDue) return withEffects(effects, reducePayment(terms, next, pressedAgain(draft, event.at)));
  if (draft.refusal === null || state.form.isSending || state.isUnknown) return stay(next, ...effects);
  if (draft.refusal.code !== 'unreachable') return go(withoutPrice(draft));
  return stay({ ...next, form: { ...state.form, refusal: draft.refusal } }, ASK_AGAIN);
}

/**
 * Requests a price from the wallet's provider, since only that provider can charge it. If it gave none, the wallet cannot pay this order.
 */
function priceWallet(state: Payment, component: OfferedComponent): Next<Payment> {
  const { draft, form } = state;
  if (draft.pricedBy !== component.provider)
    return stay({ ...state, declined: null, isPending: true, draft: { ...draft, component } });
  const unpayable = [...draft.unpayable, component.token];
  const refusal = { code: 'corridor_not_supported', fields: [], requestId: null };
  return stay({ ...state, draft: { ...draft, component: null, unpayable }, form: refused(form, refusal) });
}

/** The event of the button that was pressed before its price had arrived. */
function pressedAgain({ component }: Draft, at: number): ScreenEvent {
  return component === null ? { type: 'submitted', at } : { type: 'chose_wallet', component };
}

function withEffects<State>(before: readonly Effect[], next: Next<State>): Next<State> {
  return { ...next, effects: [...before, ...next.effects] };
}

function isPricedFor(terms: Terms, draft: Draft): boolean {
  const { saved_method, provider } = pricing(terms, draft);
  return saved_method === draft.pricedFor && provider === draft.pricedBy;
}

/** Repeats the pending request after an outage: for the attempt or for a price. */
function askAgain(terms: Terms, state: Payment): Next<Payment> {
  if (state.isUnknown) return stay(state, { do: 'read_session' });
  return state.draft.refusal === null
    ? stay(state)
    : withNewPrice(terms, { ...state, form: { ...state.form, refusal: null } });
}

/**
 * A request that timed out may still be in transit, and the service processes a request for at most 10 s. So the session must show no
 * attempt for 20 s, read every 5 s, before the request counts as lost.
 */
const ABSENCES_MIN = 5;

/** The engine stores an attempt before it calls a provider: without one in the session, no money was taken. */
function attemptKnown(terms: Terms, state: Payment, answer: ApiResult<EmbedSession>): Next<Payment> {
  if (!answer.ok) return stay(state, ASK_AGAIN);
  if (answer.value.status !== 'open' || answer.value.intent_id !== null) return go({ to: 'session' });
  const absences = state.absences + 1;
  if (absences < ABSENCES_MIN) return stay({ ...state, absences }, ASK_AGAIN);
  const form = refused(state.form, { code: 'not_charged', fields: [], requestId: null });
  const known: Payment = { ...state, form, isUnknown: false };
  return chosenQuote(state.draft) === null ? withNewPrice(terms, known) : stay(known);
}

function withMethod(draft: Draft, method: PaymentMethod): Draft {
  const serves = draft.quotes?.quotes.some((quote) => quote.available && quote.payment_method === method);
  return serves === true ? { ...draft, method } : draft;
}

function withNewPrice(terms: Terms, state: Payment): Next<Payment> {
  const { draft, effects } = askQuotes(terms, state.draft.flow, state.draft);
  return stay({ ...state, draft }, ...effects);
}

/** The step before the payment. The wallet step is skipped if the session fixes the address. */
function stepBefore(terms: Terms, draft: Draft): Destination {
  return walletFields(terms, draft).length > 0 ? { to: 'wallet', draft, errors: {} } : { to: 'order', draft };
}

function created(terms: Terms, state: Payment, answer: ApiResult<Intent>): Next<Payment> {
  if (answer.ok) {
    const { value: intent } = answer;
    const isDeclined = intent.failure !== null && isDeclinedCard(terms, state.draft, intent.failure);
    return isDeclined ? stay(declined(state, { intent, failure: intent.failure })) : go({ to: 'intent', intent });
  }
  const { refusal } = answer;
  const form = refused(state.form, refusal);
  switch (refusal.code) {
    case 'quote_expired':
    case 'quote_not_found': {
      const asked = askQuotes(terms, state.draft.flow, state.draft);
      return stay({ ...state, form, draft: asked.draft }, ...asked.effects);
    }
    case 'wallet_address_invalid': {
      const errors = refusedAddresses(terms, state.draft, refusal);
      return hasErrors(errors) ? go({ to: 'wallet', draft: state.draft, errors }) : stay({ ...state, form });
    }
    // The card was removed elsewhere.
    case 'payment_method_not_found':
      return stay({ ...state, form }, { do: 'list_saved' });
    // Another tab has started an attempt; the session shows it.
    case 'intent_in_progress':
    case 'session_not_open':
      return go({ to: 'session' });
    case 'unreachable':
    case 'try_again':
      return stay(
        { ...state, form: refused(state.form, { ...refusal, code: 'payment_unknown' }), isUnknown: true, absences: 0 },
        { do: 'read_session' },
      );
    default:
      return stay({ ...state, form });
  }
}

function intentBody(terms: Terms, state: Payment, quote: Quote): IntentBody {
  const { draft, form } = state;
  const fields = paymentFields(terms, draft);
  const component = replacingComponent(terms, draft);
  return {
    ...quoteBody(terms, draft),
    quote_id: quote.id,
    wallet_address: draft.flow === 'off_ramp' ? null : (terms.walletAddress ?? draft.wallet),
    refund_address: draft.flow === 'on_ramp' ? null : draft.refund,
    payment_details:
      component === undefined || chosenCard(terms, state) !== null
        ? cardDetails(terms, state, fields)
        : tokenOf(component),
    payout_details: payoutDetails(fields, form),
  };
}

const tokenOf = ({ provider, token }: OfferedComponent) => ({ provider, token });

function cardDetails(terms: Terms, state: Payment, fields: readonly PaymentField[]): IntentBody['payment_details'] {
  const saved = chosenCard(terms, state);
  if (saved === null && !fields.includes('cvc')) return null;
  const { form } = state;
  const cvc = valueOf(form, 'cvc', READERS);
  if (saved !== null) return { saved_method: saved.id, ...(saved.cvc_required ? { cvc } : {}) };
  const [card_number, expiry] = [valueOf(form, 'card_number', READERS), valueOf(form, 'expiry', READERS)];
  const entered = { card_number, expiry, cvc };
  return state.isSaving && canSave(terms, state.draft) ? { ...entered, save: true } : entered;
}

function payoutDetails(fields: readonly PaymentField[], form: Payment['form']): IntentBody['payout_details'] {
  const account_holder = valueOf(form, 'account_holder', READERS);
  if (fields.includes('iban')) return { type: 'iban', iban: valueOf(form, 'iban', READERS), account_holder };
  if (!fields.includes('routing_number')) return null;
  return {
    type: 'ach',
    routing_number: valueOf(form, 'routing_number', READERS),
    account_number: valueOf(form, 'account_number', READERS),
    account_holder,
  };
}

/** Before every expiry date: whether a card has expired is checked when the form is submitted. */
const ANY_TIME = 0;

function readersAt(at: number): Readers<PaymentField> {
  return {
    card_number: readCardNumber,
    expiry: (text) => readExpiry(text, at),
    cvc: readCvc,
    iban: readIban,
    routing_number: readRoutingNumber,
    account_number: readAccountNumber,
    account_holder: readName,
  };
}

const READERS = readersAt(ANY_TIME);
