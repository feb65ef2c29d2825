import type { Order } from '../../app/screen.js';
import { shopName, type TermedProps } from '../../ui/context.js';
import { MainButton, SubmitButton } from '../../ui/buttons.js';
import { PriceBox } from '../../ui/price-box.js';
import { StepForm } from '../../ui/step-form.js';
import { chosenQuote } from '../quoting.js';
import { shownWallets, WalletButtons } from '../payment/wallet-buttons.js';
import { FlowTabs } from './flow-tabs.js';
import { AmountChoice, assetPicker } from './order-choices.js';
import { MethodBones, MethodChoice } from './method-choice.js';

export function OrderView(props: TermedProps<Order>) {
  const { screen, terms, settings, t, send } = props;
  const { draft } = screen;
  const quote = chosenQuote(draft);
  const wallets = shownWallets(terms, draft, settings);
  const isBound = terms.sessionId !== null;
  return (
    <>
      {terms.flows.length > 1 && <FlowTabs flows={terms.flows} chosen={draft.flow} t={t} send={send} />}
      <StepForm
        title={t.orderTitle[draft.flow]}
        hasTabs={terms.flows.length > 1}
        errors={screen.errors}
        refusal={draft.refusal}
        t={t}
        send={send}
      >
        {!isBound && <AmountChoice {...props} />}
        <PriceBox
          draft={draft}
          quote={quote}
          locale={settings.locale}
          t={t}
          boundBy={isBound ? t.boundBy(shopName(settings, t)) : null}
          pickers={{ source: assetPicker('source', props), target: assetPicker('target', props) }}
          send={send}
        />
        {isBound && <WalletButtons wallets={wallets} isOff={quote === null} t={t} send={send} />}
        {draft.quotes === null && draft.isAsking && draft.flow === 'on_ramp' && <MethodBones t={t} />}
        {draft.quotes !== null && (
          <MethodChoice
            hasTitle={wallets.length === 0}
            quotes={draft.quotes.quotes}
            chosen={draft.method}
            locale={settings.locale}
            t={t}
            send={send}
          />
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
