import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Fault, Identity, IdentityField } from '../../app/screen.js';
import { emptyForm, faultsOf, isFaulty, left, refused, typed, type Checks } from '../../forms/form.js';
import type { Intent } from '../../wire/types.js';
import { answeredAction } from '../answered-action.js';

export const IDENTITY_FIELDS = ['first_name', 'last_name', 'date_of_birth', 'document_number'] as const;

export function enterIdentity(intent: Intent): Identity {
  return { at: 'identity', intent, form: emptyForm<IdentityField>(IDENTITY_FIELDS) };
}

/** Who the buyer is, where the law wants to know. What is typed leaves with the request and is kept nowhere. */
export function reduceIdentity(state: Identity, event: ScreenEvent): Next<Identity> {
  const { form, intent } = state;
  switch (event.type) {
    case 'typed':
      return stay({ ...state, form: typed(form, event.field, event.value) });
    case 'left_field':
      return stay({ ...state, form: left(form, event.field, CHECKS) });
    case 'submitted': {
      if (form.isSending) return stay(state);
      const faults = faultsOf(form, IDENTITY_FIELDS, CHECKS);
      if (isFaulty(faults)) return stay({ ...state, form: { ...form, faults, refusal: null } });
      const { first_name, last_name, date_of_birth, document_number } = form.values;
      const kyc = {
        first_name: first_name.trim(),
        last_name: last_name.trim(),
        date_of_birth,
        document_number: document_number.trim(),
      };
      return stay(
        { ...state, form: { ...form, faults: {}, refusal: null, isSending: true } },
        { do: 'confirm_intent', id: intent.id, body: { action: 'kyc', kyc } },
      );
    }
    case 'cancelled':
      if (form.isSending) return stay(state);
      return stay({ ...state, form: { ...form, isSending: true } }, { do: 'cancel_intent', id: intent.id });
    case 'intent_answered':
      return answeredAction(event, (refusal) => stay({ ...state, form: refused(form, refusal) }));
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
