import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Code, Fault } from '../../app/screen.js';
import { emptyForm, faultsOf, isFaulty, refused, typed, type Checks } from '../../forms/form.js';
import type { Intent } from '../../wire/types.js';
import { answeredAction } from '../answered-action.js';

export function enterCode(intent: Intent): Code {
  return { at: 'code', intent, form: emptyForm<'code'>(['code']) };
}

/** The one-time code with which a bank knows its customer. */
export function reduceCode(state: Code, event: ScreenEvent): Next<Code> {
  const { form, intent } = state;
  switch (event.type) {
    case 'typed':
      return stay({ ...state, form: typed(form, event.field, event.value) });
    case 'submitted': {
      if (form.isSending) return stay(state);
      const faults = faultsOf(form, ['code'], CHECKS);
      if (isFaulty(faults)) return stay({ ...state, form: { ...form, faults, refusal: null } });
      const code = form.values.code.replace(/\s/g, '');
      return stay(
        { ...state, form: { ...form, faults: {}, refusal: null, isSending: true } },
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

const CHECKS: Checks<'code'> = { code: (text): Fault | null => (text.trim() === '' ? 'required' : null) };
