import { useEffect, useState } from 'preact/hooks';
import type { Code } from '../../app/screen.js';
import { formatFiat } from '../../money/format-amount.js';
import { cardEnding } from '../../ui/card-ending.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import { shopName, type ViewProps } from '../../ui/context.js';
import { Countdown } from '../../ui/countdown.js';
import { Field } from '../../ui/field.js';
import { Row } from '../../ui/price-box.js';
import { StepForm } from '../../ui/step-form.js';
import { resendAt } from './code-state.js';

export function CodeView({ screen, app, settings, t, send }: ViewProps<Code>) {
  const { form, intent, isResending } = screen;
  const at = resendAt(screen);
  const action = intent.next_action;
  const lastFour = app.memory?.lastFour ?? null;
  const isBusy = form.isSending || isResending;
  return (
    <StepForm title={t.codeTitle} errors={form.errors} refusal={form.refusal} t={t} send={send}>
      <p>{t.codeText(action?.type === 'payment_authentication' ? action.destination : '')}</p>
      <dl class="rows">
        <Row title={t.amount} value={formatFiat(intent.amount, intent.currency, settings.locale)} />
        <Row title={t.shop} value={shopName(settings, t)} />
        {lastFour !== null && <Row title={t.method.card} value={cardEnding(lastFour)} />}
      </dl>
      <Field
        name="code"
        label={t.code}
        value={form.values.code}
        error={form.errors.code}
        t={t}
        send={send}
        input={{ inputMode: 'numeric', autocomplete: 'one-time-code', dir: 'ltr', class: 'otp' }}
      />
      <p class="unseen" role="status">
        {screen.isResent ? t.codeResent : ''}
      </p>
      {settings.mode === 'test' && <p class="hint test-hint">{t.testCode}</p>}
      <SubmitButton isBusy={isBusy} busyText={t.sending}>
        {t.confirm}
      </SubmitButton>
      {!isBusy && at !== null && <Resend key={at} at={at} isResent={screen.isResent} t={t} send={send} />}
      {!isBusy && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.back}</QuietButton>}
    </StepForm>
  );
}

interface ResendProps extends Pick<ViewProps<Code>, 't' | 'send'> {
  readonly at: number;
  readonly isResent: boolean;
}

/** The time until another code can be asked for, then the button for it. */
function Resend({ at, isResent, t, send }: ResendProps) {
  const [isDue, setDue] = useState(() => Date.now() >= at);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), Math.max(0, at - Date.now()));
    return () => clearTimeout(timer);
  }, []);
  if (isDue) return <QuietButton onClick={() => send({ type: 'asked_for_code' })}>{t.resendCode}</QuietButton>;
  return (
    <p class="quiet resend">
      {isResent ? `${t.codeResent} ` : ''}
      {t.resendIn} <Countdown until={at} />
    </p>
  );
}
