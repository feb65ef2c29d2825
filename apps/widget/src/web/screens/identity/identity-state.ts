import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { FieldError, Identity, IdentityField } from '../../app/screen.js';
import { emptyForm, errorsOf, hasErrors, left, refused, typed, type Checks } from '../../forms/form.js';
import type { Intent, KycAction } from '../../wire/types.js';
import { answeredAction } from '../answered-action.js';

const IDENTITY_FIELDS = ['first_name', 'last_name', 'date_of_birth', 'document_number'] as const;

/** Enters the identity step with only the fields that the service requires. */
export function enterIdentity(intent: Intent, { fields: asked }: KycAction): Identity {
  const fields = IDENTITY_FIELDS.filter((field) => asked.includes(field));
  return { at: 'identity', intent, fields, form: emptyForm<IdentityField>(IDENTITY_FIELDS) };
}

/** The identity step, for legally required verification. The input is sent with the request and not stored. */
export function reduceIdentity(state: Identity, event: ScreenEvent): Next<Identity> {
  const { form, fields, intent } = state;
  switch (event.type) {
    case 'typed':
      return stay({ ...state, form: typed(form, event.field, event.value) });
    case 'left_field':
      return stay({ ...state, form: left(form, event.field, checksAt(null)) });
    case 'submitted': {
      if (form.isSending) return stay(state);
      const errors = errorsOf(form, fields, checksAt(event.at));
      if (hasErrors(errors)) return stay({ ...state, form: { ...form, errors, refusal: null } });
      const kyc = Object.fromEntries(fields.map((field) => [field, form.values[field].trim()]));
      return stay(
        { ...state, form: { ...form, errors: {}, refusal: null, isSending: true } },
        { do: 'confirm_intent', id: intent.id, body: { action: 'kyc', kyc } },
      );
    }
    case 'cancelled':
      if (form.isSending) return stay(state);
      return stay({ ...state, form: { ...form, isSending: true } }, { do: 'cancel_intent', id: intent.id });
    case 'intent_answered':
      return answeredAction(event, intent, (refusal) => stay({ ...state, form: refused(form, refusal) }));
    default:
      return stay(state);
  }
}

/** With `at` null, dates in the future are accepted; they are checked when the form is submitted. */
function checksAt(at: number | null): Checks<IdentityField> {
  return {
    first_name: filled,
    last_name: filled,
    date_of_birth: (text) => dayError(text, at ?? Infinity),
    document_number: filled,
  };
}

function filled(text: string): FieldError | null {
  return text.trim() === '' ? 'required' : null;
}

/** The largest UTC offset, of the Line Islands, where each day begins first. */
const AHEAD_OF_UTC_MS = 14 * 3_600_000;

/** Checks for `YYYY-MM-DD`, an existing date since 1900 that has begun in some time zone. */
function dayError(text: string, at: number): FieldError | null {
  if (text === '') return 'required';
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return 'not_a_day';
  const day = new Date(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])));
  const hasBegun = day.getTime() <= at + AHEAD_OF_UTC_MS;
  return day.toISOString().startsWith(text) && day.getUTCFullYear() >= 1900 && hasBegun ? null : 'not_a_day';
}
