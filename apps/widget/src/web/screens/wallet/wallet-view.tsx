import type { Wallet, WalletField } from '../../app/screen.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { TermedProps } from '../../ui/context.js';
import { networkName } from '../../ui/network-name.js';
import { StepForm } from '../../ui/step-form.js';
import { chosenQuote } from '../quoting.js';
import { AddressField } from './address-field.js';
import { networkOf, walletFields } from './wallet-state.js';

export function WalletView({ screen, terms, settings, t, send }: TermedProps<Wallet>) {
  const { draft, errors, names } = screen;
  const quote = chosenQuote(draft);
  const labelOf = (field: WalletField): string =>
    field === 'wallet' ? t.wallet(quote?.destination.currency ?? '') : t.refund(quote?.source.currency ?? '');
  const hintOf = (field: WalletField): string => {
    const network = networkName(networkOf(draft, field) ?? '');
    return field === 'wallet' ? t.walletHint(network) : t.refundHint(network);
  };
  return (
    <StepForm title={t.walletTitle[draft.flow]} errors={errors} refusal={draft.refusal} t={t} send={send}>
      {walletFields(terms, draft).map((field) => (
        <AddressField
          key={field}
          name={field}
          label={labelOf(field)}
          hint={hintOf(field)}
          value={draft[field]}
          error={errors[field]}
          lookup={names[field]}
          side={field === 'wallet' ? quote?.destination : quote?.source}
          kind={settings.kind}
          t={t}
          send={send}
        />
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={draft.isRemembered}
          onChange={({ currentTarget }) => send({ type: 'chose_to_remember', isRemembered: currentTarget.checked })}
        />
        <span>{t.remember}</span>
      </label>
      {settings.mode === 'test' && <p class="hint test-hint">{t.testWallet}</p>}
      <SubmitButton isBusy={false} busyText={t.sending}>
        {t.continue}
      </SubmitButton>
      <QuietButton onClick={() => send({ type: 'went_back' })}>{t.back}</QuietButton>
    </StepForm>
  );
}
