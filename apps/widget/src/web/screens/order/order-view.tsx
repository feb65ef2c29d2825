import type { Order } from '../../app/screen.js';
import { shopName, type TermedProps } from '../../ui/context.js';
import { MainButton, SubmitButton } from '../../ui/buttons.js';
import { PriceBox } from '../../ui/price-box.js';
import { StepForm } from '../../ui/step-form.js';
import { chosenQuote } from '../quoting.js';
import { FlowTabs } from './flow-tabs.js';
import { OrderChoices } from './order-choices.js';
import { MethodBones, MethodChoice } from './method-choice.js';

export function OrderView({ screen, terms, settings, t, send }: TermedProps<Order>) {
  const { draft } = screen;
  const quote = chosenQuote(draft);
  const isBound = terms.sessionId !== null;
  return (
    <>
      {terms.flows.length > 1 && <FlowTabs flows={terms.flows} chosen={draft.flow} t={t} send={send} />}
      <StepForm title={t.orderTitle[draft.flow]} errors={screen.errors} refusal={draft.refusal} t={t} send={send}>
        <OrderChoices screen={screen} terms={terms} settings={settings} t={t} send={send} />
        <PriceBox
          draft={draft}
          quote={quote}
          locale={settings.locale}
          t={t}
          boundBy={isBound ? t.boundBy(shopName(settings, t)) : null}
          send={send}
        />
        {draft.quotes === null && draft.isAsking && draft.flow === 'on_ramp' && <MethodBones t={t} />}
        {draft.quotes !== null && (
          <MethodChoice quotes={draft.quotes.quotes} chosen={draft.method} locale={settings.locale} t={t} send={send} />
        )}
        {!isBound && <p class="notice">{t.lookOnly}</p>}
        {draft.refusal !== null && <MainButton onClick={() => send({ type: 'retried' })}>{t.tryAgain}</MainButton>}
        {isBound && draft.refusal === null && (
          <SubmitButton isBusy={false} busyText={t.sending} isOff={quote === null}>
            {t.continue}
          </SubmitButton>
        )}
      </StepForm>
    </>
  );
}
