import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Code, FieldError } from '../../app/screen.js';
import { emptyForm, errorsOf, hasErrors, refused, typed, type Checks } from '../../forms/form.js';
import type { Intent } from '../../wire/types.js';
import { answeredAction } from '../answered-action.js';

export function enterCode(intent: Intent): Code {
  return { at: 'code', intent, form: emptyForm<'code'>(['code']) };
}

/** The screen for the one-time code by which the bank authenticates its customer. */
export function reduceCode(state: Code, event: ScreenEvent): Next<Code> {
  const { form, intent } = state;
  switch (event.type) {
    case 'typed':
      return stay({ ...state, form: typed(form, event.field, event.value) });
    case 'submitted': {
      if (form.isSending) return stay(state);
      const errors = errorsOf(form, ['code'], CHECKS);
      if (hasErrors(errors)) return stay({ ...state, form: { ...form, errors, refusal: null } });
      const code = form.values.code.replace(/\s/g, '');
      return stay(
        { ...state, form: { ...form, errors: {}, refusal: null, isSending: true } },
        { do: 'confirm_intent', id: intent.id, body: { action: 'payment_authentication', code } },
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

const CHECKS: Checks<'code'> = { code: (text): FieldError | null => (text.trim() === '' ? 'required' : null) };
