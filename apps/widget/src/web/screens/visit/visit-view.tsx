import type { Visit } from '../../app/screen.js';
import { MainButton, QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { StepForm } from '../../ui/step-form.js';
import { isWebAddress } from '../../host/web-address.js';

/** The button to the bank's page, then the buttons to confirm the return or to open the page again. */
export function VisitView({ screen, settings, t, send }: ViewProps<Visit>) {
  const { hasSetOut, isBlocked, isLate, refusal } = screen;
  const isSending = screen.isSending && !screen.isUnasked;
  const action = screen.intent.next_action;
  const url = action?.type === 'redirect' && isWebAddress(action.url) ? action.url : null;
  return (
    <StepForm title={t.visitTitle} errors={{}} refusal={refusal} t={t} send={send}>
      <div role="alert" class="alerts">
        {isLate && <p class="notice">{t.visitLate}</p>}
      </div>
      {!isLate && <p>{settings.kind === 'frame' ? t.visitTextWindow : t.visitText}</p>}
      {!isLate && !hasSetOut && <MainButton onClick={() => send({ type: 'set_out' })}>{t.visitGo}</MainButton>}
      {!isLate && hasSetOut && isBlocked && url !== null && (
        <>
          <p class="notice">{t.visitBlocked}</p>
          <a class="button button-main" href={url} target="_blank" rel="noreferrer">
            {t.visitGo}
          </a>
        </>
      )}
      {!isLate && hasSetOut && (
        <>
          <SubmitButton isBusy={isSending} busyText={t.sending}>
            {t.visitDone}
          </SubmitButton>
          {!isSending && !isBlocked && (
            <QuietButton onClick={() => send({ type: 'set_out' })}>{t.visitAgain}</QuietButton>
          )}
        </>
      )}
      {settings.mode === 'test' && !isLate && <p class="hint test-hint">{t.testVisit}</p>}
      {!isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.back}</QuietButton>}
    </StepForm>
  );
}
