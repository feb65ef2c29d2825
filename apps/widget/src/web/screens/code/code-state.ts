import { stay, type Next, type ScreenEvent } from '../../app/event.js';
import type { Code } from '../../app/screen.js';
import { emptyForm, errorsOf, hasErrors, left, refused, typed, valueOf, type Readers } from '../../forms/form.js';
import { readCode } from '../../forms/read.js';
import type { Intent } from '../../wire/types.js';
import { answeredAction } from '../answered-action.js';

export function enterCode(intent: Intent, leadMs: number): Code {
  return { at: 'code', intent, form: emptyForm<'code'>(['code']), leadMs, isResending: false, isResent: false };
}

/** The instant on this device's clock from which another code can be asked for; null if there is only one. */
export function resendAt({ intent, leadMs }: Code): number | null {
  const at = intent.code_resend_at ?? null;
  return at === null ? null : Date.parse(at) - leadMs;
}

/** The screen for the one-time code by which the bank authenticates its customer. */
export function reduceCode(state: Code, event: ScreenEvent): Next<Code> {
  const { form, intent } = state;
  const isBusy = form.isSending || state.isResending;
  switch (event.type) {
    case 'typed':
      return stay({ ...state, isResent: false, form: typed(form, event.field, event.value) });
    case 'left_field':
      return stay({ ...state, form: left(form, event.field, READERS) });
    case 'submitted': {
      if (isBusy) return stay(state);
      const errors = errorsOf(form, ['code'], READERS);
      if (hasErrors(errors)) return stay({ ...state, form: { ...form, errors, refusal: null } });
      const code = valueOf(form, 'code', READERS);
      return stay(
        { ...state, isResent: false, form: { ...form, errors: {}, refusal: null, isSending: true } },
        { do: 'confirm_intent', id: intent.id, body: { action: 'payment_authentication', code } },
      );
    }
    case 'asked_for_code':
      if (isBusy) return stay(state);
      return stay(
        { ...state, isResending: true, isResent: false, form: { ...form, errors: {}, refusal: null } },
        { do: 'confirm_intent', id: intent.id, body: { action: 'send_code' } },
      );
    case 'cancelled':
      if (isBusy) return stay(state);
      return stay({ ...state, form: { ...form, isSending: true } }, { do: 'cancel_intent', id: intent.id });
    case 'intent_answered': {
      const { answer } = event;
      if (state.isResending && answer.ok && answer.value.next_action?.type === 'payment_authentication') {
        const next = enterCode(answer.value, state.leadMs);
        // Unchanged, it means that the request did not reach the provider.
        if (resendAt(next) !== resendAt(state)) return stay({ ...next, isResent: true });
      }
      return answeredAction(event, intent, (refusal) =>
        stay({ ...state, isResending: false, form: refused(form, refusal) }),
      );
    }
    default:
      return stay(state);
  }
}

const READERS: Readers<'code'> = { code: readCode };
