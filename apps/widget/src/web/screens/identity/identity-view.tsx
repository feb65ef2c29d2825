import type { Identity, IdentityField } from '../../app/screen.js';
import type { Messages } from '../../i18n/en.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { Field, type FieldProps } from '../../ui/field.js';
import { StepForm } from '../../ui/step-form.js';

export function IdentityView({ screen, t, send }: ViewProps<Identity>) {
  const { form, fields } = screen;
  return (
    <StepForm title={t.identityTitle} errors={form.errors} refusal={form.refusal} t={t} send={send}>
      <p>{t.identityText}</p>
      <div class="fields">
        {fields.map((field) => (
          <Field
            key={field}
            {...fieldProps(field, t)}
            value={form.values[field]}
            error={form.errors[field]}
            t={t}
            send={send}
          />
        ))}
      </div>
      <SubmitButton isBusy={form.isSending} busyText={t.sending}>
        {t.continue}
      </SubmitButton>
      {!form.isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.back}</QuietButton>}
    </StepForm>
  );
}

function fieldProps(field: IdentityField, t: Messages): Pick<FieldProps, 'name' | 'label' | 'isHalf' | 'input'> {
  switch (field) {
    case 'first_name':
      return {
        name: field,
        label: t.firstName,
        isHalf: true,
        input: { autocomplete: 'given-name', maxLength: 100, dir: 'auto' },
      };
    case 'last_name':
      return {
        name: field,
        label: t.lastName,
        isHalf: true,
        input: { autocomplete: 'family-name', maxLength: 100, dir: 'auto' },
      };
    case 'date_of_birth':
      return { name: field, label: t.birth, input: { type: 'date', autocomplete: 'bday' } };
    case 'document_number':
      return {
        name: field,
        label: t.document,
        input: { autocomplete: 'off', maxLength: 100, dir: 'ltr', spellcheck: false },
      };
  }
}
