import type { Deposit } from '../../app/screen.js';
import { formatCrypto } from '../../money/format-amount.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { Heading } from '../../ui/heading.js';
import { networkName } from '../../ui/network-name.js';
import { Row } from '../../ui/price-box.js';
import { StepForm } from '../../ui/step-form.js';

export function DepositView({ screen, settings, t, send }: ViewProps<Deposit>) {
  const action = screen.intent.next_action;
  if (action?.type !== 'crypto_deposit') return null;
  const { address, amount, asset, network, memo } = action;
  const money = formatCrypto(amount, asset, settings.locale);
  return (
    <StepForm faults={{}} refusal={screen.refusal} t={t} send={send}>
      <Heading>{t.depositTitle(asset)}</Heading>
      <p>{t.depositText(money, networkName(network))}</p>
      <dl class="rows addresses">
        <Row title={t.depositAddress} value={address} />
        <Row title={t.depositAmount} value={money} />
        {memo !== null && <Row title={t.depositMemo} value={memo} />}
      </dl>
      <SubmitButton isBusy={screen.isSending} busyText={t.sending}>
        {t.sent}
      </SubmitButton>
      {!screen.isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.cancelPayment}</QuietButton>}
    </StepForm>
  );
}
