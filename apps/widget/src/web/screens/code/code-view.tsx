import type { Code } from '../../app/screen.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { Field } from '../../ui/field.js';
import { StepForm } from '../../ui/step-form.js';

export function CodeView({ screen, settings, t, send }: ViewProps<Code>) {
  const { form, intent } = screen;
  const action = intent.next_action;
  return (
    <StepForm title={t.codeTitle} errors={form.errors} refusal={form.refusal} t={t} send={send}>
      <p>{t.codeText(action?.type === 'payment_authentication' ? action.destination : '')}</p>
      <Field
        name="code"
        label={t.code}
        value={form.values.code}
        error={form.errors.code}
        t={t}
        send={send}
        input={{ inputMode: 'numeric', autocomplete: 'one-time-code', dir: 'ltr', maxLength: 20, class: 'otp' }}
      />
      {settings.mode === 'test' && <p class="hint test-hint">{t.testCode}</p>}
      <SubmitButton isBusy={form.isSending} busyText={t.sending}>
        {t.confirm}
      </SubmitButton>
      {!form.isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.back}</QuietButton>}
    </StepForm>
  );
}
