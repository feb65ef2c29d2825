import { readAddress } from '../../address/read-address.js';
import { type Effect, go, stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Draft, FieldError, FieldErrors, Terms, Wallet, WalletField } from '../../app/screen.js';
import { visible } from '../../forms/plain.js';
import { errorOf, type Reading } from '../../forms/read.js';
import type { Refusal } from '../../wire/refusal.js';
import { askQuotes, chosenQuote, keepQuoting, ASK_AGAIN, withoutPrice } from '../quoting.js';

/** The addresses that the buyer has to enter, for receiving crypto and for refunds. */
export function walletFields(terms: Terms, { flow }: Pick<Draft, 'flow'>): readonly WalletField[] {
  const wallet: readonly WalletField[] = flow === 'off_ramp' || terms.walletAddress !== null ? [] : ['wallet'];
  return flow === 'on_ramp' ? wallet : [...wallet, 'refund'];
}

const WIRE_NAMES = { wallet: 'wallet_address', refund: 'refund_address' } as const;

/** Assigns a refusal to the address fields that it names, or to all of them if it names none. */
export function refusedAddresses(terms: Terms, draft: Draft, { fields }: Refusal): FieldErrors<WalletField> {
  const given = walletFields(terms, draft);
  const named = given.filter((one) => fields.some(({ field }) => field === WIRE_NAMES[one]));
  return (named.length > 0 ? named : given).reduce<FieldErrors<WalletField>>(
    (errors, field) => withError(errors, field, 'address_refused'),
    {},
  );
}

/** The network of the field's address; null while there is no price. */
export function networkOf(draft: Draft, field: WalletField): string | null {
  const quote = chosenQuote(draft);
  return (field === 'wallet' ? quote?.destination.network : quote?.source.network) ?? null;
}

/** The wallet step. Validates addresses locally; the service makes the final decision. */
export function reduceWallet(terms: Terms, state: Wallet, event: ScreenEvent): Next<Wallet> {
  const { draft } = state;
  switch (event.type) {
    case 'typed': {
      if (!isField(event.field)) return stay(state);
      // Also abandons the look-up of the previous name.
      return stay({ ...cleared(state, event.field), draft: { ...draft, [event.field]: event.value } });
    }
    case 'left_field': {
      if (!isField(event.field) || draft[event.field].trim() === '') return stay(state);
      if (state.names[event.field] !== undefined) return stay(state);
      const reading = readingOf(draft, event.field);
      const errors = withError(state.errors, event.field, errorOf(reading));
      const shown = 'error' in reading ? draft : { ...draft, [event.field]: reading.shown };
      return stay({ ...state, draft: shown, errors }, ...lookups(draft, { [event.field]: errors[event.field] }));
    }
    case 'name_asked': {
      const { field, name } = event;
      if (!isField(field) || visible(draft[field]) !== name) return stay(state);
      const asked = cleared(state, field);
      return stay({ ...asked, names: { ...asked.names, [field]: { name, address: null } } });
    }
    case 'name_resolved':
      return isField(event.field) ? stay(resolved(state, event.field, event)) : stay(state);
    case 'name_confirmed': {
      if (!isField(event.field)) return stay(state);
      const address = state.names[event.field]?.address ?? null;
      if (address === null) return stay(state);
      return stay({ ...cleared(state, event.field), draft: { ...draft, [event.field]: address } });
    }
    case 'submitted': {
      if (draft.refusal !== null) return askAgain(terms, state);
      const fields = walletFields(terms, draft);
      const errors = fields.reduce<FieldErrors<WalletField>>(
        (found, field) => withError(found, field, errorBeforePayment(state, field)),
        {},
      );
      const isAwaited = fields.some((field) => state.names[field] !== undefined);
      if (isAwaited || Object.keys(errors).length > 0) return stay({ ...state, errors }, ...lookups(draft, errors));
      const read = fields.reduce((all, field) => ({ ...all, [field]: addressOf(draft, field) }), draft);
      return go({ to: 'payment', draft: read }, ...remembered(terms, read));
    }
    case 'chose_to_remember':
      return stay({ ...state, draft: { ...draft, isRemembered: event.isRemembered } });
    case 'went_back':
      return go({ to: 'order', draft });
    case 'went_online':
      return askAgain(terms, state);
    default:
      return event.type === 'elapsed' && event.timer === 'poll'
        ? askAgain(terms, state)
        : keepPrice(terms, state, event);
  }
}

function remembered(terms: Terms, draft: Draft): readonly Effect[] {
  if (!draft.isRemembered) return [];
  const addresses = walletFields(terms, draft).flatMap((field) => {
    const network = networkOf(draft, field);
    return network === null ? [] : [{ network, address: draft[field] }];
  });
  return [{ do: 'remember', addresses }];
}

/** Keeps the price fresh. Without a price the buyer returns to the order step, except while only the connection is lost. */
function keepPrice(terms: Terms, state: Wallet, event: ScreenEvent): Next<Wallet> {
  const kept = keepQuoting(terms, state.draft, event);
  if (kept === null) return stay(state);
  const next = { ...state, draft: kept.draft };
  if (kept.draft.refusal === null) return stay(next, ...kept.effects);
  return kept.draft.refusal.code === 'unreachable' ? stay(next, ASK_AGAIN) : go(withoutPrice(kept.draft));
}

function askAgain(terms: Terms, state: Wallet): Next<Wallet> {
  if (state.draft.refusal === null) return stay(state);
  const { draft, effects } = askQuotes(terms, state.draft.flow, state.draft);
  return stay({ ...state, draft }, ...effects);
}

/** The errors that prevent a draft from continuing to the payment. */
export function walletErrors(terms: Terms, draft: Draft): FieldErrors<WalletField> {
  return walletFields(terms, draft).reduce<FieldErrors<WalletField>>(
    (errors, field) => withError(errors, field, errorOf(readingOf(draft, field))),
    {},
  );
}

function readingOf(draft: Draft, field: WalletField): Reading {
  const reading = readAddress(draft[field], networkOf(draft, field));
  const isDeposit = !('error' in reading) && draft.deposit?.toLowerCase() === reading.value.toLowerCase();
  return isDeposit ? { error: 'deposit_address' } : reading;
}

function addressOf(draft: Draft, field: WalletField): string {
  const reading = readingOf(draft, field);
  return 'error' in reading ? draft[field] : reading.value;
}

/** A pending look-up is not an error. A resolved address must be confirmed by the buyer before it is used. */
function errorBeforePayment({ draft, names }: Wallet, field: WalletField): FieldError | null {
  const lookup = names[field];
  if (lookup === undefined) return errorOf(readingOf(draft, field));
  return lookup.address === null ? null : 'name_unconfirmed';
}

/** Stores the result of a look-up. The address replaces the name once the buyer has confirmed it. */
function resolved(
  state: Wallet,
  field: WalletField,
  { name, address }: { readonly name: string; readonly address: string | null },
): Wallet {
  // Outdated: the buyer has typed something else since.
  if (state.names[field]?.name !== name) return state;
  const asked = cleared(state, field);
  const error = address === null ? 'name_not_found' : errorOf(readingOf({ ...state.draft, [field]: address }, field));
  return error === null
    ? { ...asked, names: { ...asked.names, [field]: { name, address } } }
    : { ...asked, errors: withError(asked.errors, field, error) };
}

/** Clears the error and the look-up of a field. */
function cleared(state: Wallet, field: WalletField): Wallet {
  const { [field]: _lookup, ...names } = state.names;
  return { ...state, names, errors: withError(state.errors, field, null) };
}

/** The look-ups of names entered in place of addresses. A name remains an error until its look-up starts. */
function lookups(draft: Draft, errors: FieldErrors<WalletField>): readonly Effect[] {
  return (['wallet', 'refund'] as const).flatMap((field): Effect[] => {
    const network = networkOf(draft, field);
    if (errors[field] !== 'a_name' || network === null) return [];
    return [{ do: 'resolve_name', field, name: visible(draft[field]), network }];
  });
}

function withError(
  errors: FieldErrors<WalletField>,
  field: WalletField,
  error: FieldError | null,
): FieldErrors<WalletField> {
  const { [field]: _before, ...others } = errors;
  return error === null ? others : { ...others, [field]: error };
}

function isField(field: string): field is WalletField {
  return field === 'wallet' || field === 'refund';
}
