import type { Wallet, WalletField } from '../../app/screen.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { TermedProps } from '../../ui/context.js';
import { addressFault } from '../../address/address-fault.js';
import { readAddress } from '../../address/read-address.js';
import { EndsToCheck } from '../../ui/address.js';
import { Coin } from '../../ui/coin.js';
import { Field } from '../../ui/field.js';
import { mayPaste, PasteButton } from '../../ui/paste-button.js';
import { networkName } from '../../ui/network-name.js';
import { StepForm } from '../../ui/step-form.js';
import { chosenQuote } from '../quoting.js';
import type { Messages } from '../../i18n/en.js';
import type { Side } from '../../wire/types.js';
import { networkOf, walletFields } from './wallet-state.js';

export function WalletView({ screen, terms, settings, t, send }: TermedProps<Wallet>) {
  const { draft, faults } = screen;
  const quote = chosenQuote(draft);
  const labelOf = (field: WalletField): string =>
    field === 'wallet' ? t.wallet(quote?.destination.currency ?? '') : t.refund(quote?.source.currency ?? '');
  const hintOf = (field: WalletField): string => {
    const network = networkName(networkOf(draft, field) ?? '');
    return field === 'wallet' ? t.walletHint(network) : t.refundHint(network);
  };
  const isWhole = (field: WalletField): boolean =>
    addressFault(readAddress(draft[field]), networkOf(draft, field)) === null;
  return (
    <StepForm title={t.walletTitle[draft.flow]} faults={faults} refusal={null} t={t} send={send}>
      {walletFields(terms, draft).map((field) => (
        <div key={field} class="address-field">
          <NetworkBadge side={field === 'wallet' ? quote?.destination : quote?.source} t={t} />
          <Field
            name={field}
            label={labelOf(field)}
            hint={hintOf(field)}
            value={draft[field]}
            fault={faults[field]}
            t={t}
            send={send}
            input={{
              dir: 'ltr',
              spellcheck: false,
              autocomplete: 'off',
              autocapitalize: 'off',
              maxLength: 128,
              class: 'code',
            }}
            end={draft[field] === '' && mayPaste(settings.kind) && <PasteButton field={field} t={t} send={send} />}
          />
          {isWhole(field) && <EndsToCheck address={readAddress(draft[field])} t={t} />}
        </div>
      ))}
      {settings.mode === 'test' && <p class="hint test-hint">{t.testWallet}</p>}
      <SubmitButton isBusy={false} busyText={t.sending}>
        {t.continue}
      </SubmitButton>
      <QuietButton onClick={() => send({ type: 'went_back' })}>{t.back}</QuietButton>
    </StepForm>
  );
}

/** The network that the address must be of: another one loses what is sent. */
function NetworkBadge({ side, t }: { readonly side: Side | undefined; readonly t: Messages }) {
  if (side === undefined || side.network === null) return null;
  return (
    <p class="network-badge">
      <Coin code={side.currency} network={side.network} isSmall />
      <span>{t.onlyNetwork(side.currency, networkName(side.network))}</span>
    </p>
  );
}
