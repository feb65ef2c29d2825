import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Fault, Identity, IdentityField } from '../../app/screen.js';
import { emptyForm, faultsOf, isFaulty, left, refused, typed, type Checks } from '../../forms/form.js';
import type { Intent, KycAction } from '../../wire/types.js';
import { answeredAction } from '../answered-action.js';

const IDENTITY_FIELDS = ['first_name', 'last_name', 'date_of_birth', 'document_number'] as const;

/** Asks what the service asks, and no more: other fields are not shown. */
export function enterIdentity(intent: Intent, { fields: asked }: KycAction): Identity {
  const fields = IDENTITY_FIELDS.filter((field) => asked.includes(field));
  return { at: 'identity', intent, fields, form: emptyForm<IdentityField>(IDENTITY_FIELDS) };
}

/** Who the buyer is, where the law wants to know. What is typed leaves with the request and is kept nowhere. */
export function reduceIdentity(state: Identity, event: ScreenEvent): Next<Identity> {
  const { form, fields, intent } = state;
  switch (event.type) {
    case 'typed':
      return stay({ ...state, form: typed(form, event.field, event.value) });
    case 'left_field':
      return stay({ ...state, form: left(form, event.field, CHECKS) });
    case 'submitted': {
      if (form.isSending) return stay(state);
      const faults = faultsOf(form, fields, CHECKS);
      if (isFaulty(faults)) return stay({ ...state, form: { ...form, faults, refusal: null } });
      const kyc = Object.fromEntries(fields.map((field) => [field, form.values[field].trim()]));
      return stay(
        { ...state, form: { ...form, faults: {}, refusal: null, isSending: true } },
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

const CHECKS: Checks<IdentityField> = {
  first_name: filled,
  last_name: filled,
  date_of_birth: dayFault,
  document_number: filled,
};

function filled(text: string): Fault | null {
  return text.trim() === '' ? 'required' : null;
}

/** `YYYY-MM-DD`, and a day that there was. */
function dayFault(text: string): Fault | null {
  if (text === '') return 'required';
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return 'not_a_day';
  const day = new Date(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])));
  return day.toISOString().startsWith(text) && day.getUTCFullYear() >= 1900 ? null : 'not_a_day';
}
