import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Identity, IdentityField } from '../../app/screen.js';
import { readDay } from '../../forms/day.js';
import { emptyForm, errorsOf, hasErrors, left, refused, typed, valueOf, type Readers } from '../../forms/form.js';
import { readIdentifier, readName } from '../../forms/read.js';
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
      return stay({ ...state, form: left(form, event.field, READERS) });
    case 'submitted': {
      if (form.isSending) return stay(state);
      const errors = errorsOf(form, fields, readersAt(event.at));
      if (hasErrors(errors)) return stay({ ...state, form: { ...form, errors, refusal: null } });
      const kyc = Object.fromEntries(fields.map((field) => [field, valueOf(form, field, READERS)]));
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

function readersAt(at: number): Readers<IdentityField> {
  return {
    first_name: readName,
    last_name: readName,
    date_of_birth: (text) => readDay(text, at),
    document_number: readIdentifier,
  };
}

/** Accepts dates in the future; they are checked when the form is submitted. */
const READERS = readersAt(Infinity);
