import type { Deposit } from '../../app/screen.js';
import { formatCrypto } from '../../money/format-amount.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { Copyable } from '../../ui/copyable.js';
import { networkName } from '../../ui/network-name.js';
import { QrCode } from '../../ui/qr-code.js';
import { StepForm } from '../../ui/step-form.js';

export function DepositView({ screen, settings, t, send }: ViewProps<Deposit>) {
  const action = screen.intent.next_action;
  if (action?.type !== 'crypto_deposit') return null;
  const { address, amount, asset, network, memo } = action;
  const money = formatCrypto(amount, asset, settings.locale);
  return (
    <StepForm title={t.depositTitle(asset)} faults={{}} refusal={screen.refusal} t={t} send={send}>
      <p>{t.depositText(money, networkName(network))}</p>
      <div class="deposit">
        <QrCode text={address} label={t.depositQr} />
        <Copyable title={t.depositAddress} shown={address} copied={address} t={t} />
        <Copyable title={t.depositAmount} shown={money} copied={amount} t={t} />
        {memo !== null && <Copyable title={t.depositMemo} shown={memo} copied={memo} t={t} />}
      </div>
      {memo !== null && <p class="notice">{t.depositMemoHint}</p>}
      <p class="hint">{t.depositWarning(asset, networkName(network))}</p>
      <SubmitButton isBusy={screen.isSending} busyText={t.sending}>
        {t.sent}
      </SubmitButton>
      {!screen.isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.cancelPayment}</QuietButton>}
    </StepForm>
  );
}
