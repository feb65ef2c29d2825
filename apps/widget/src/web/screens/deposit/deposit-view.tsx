import type { Deposit } from '../../app/screen.js';
import { timeText } from '../../i18n/times.js';
import { formatCrypto } from '../../money/format-amount.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { Address } from '../../ui/address.js';
import { Coin } from '../../ui/coin.js';
import { Copyable } from '../../ui/copyable.js';
import { Countdown } from '../../ui/countdown.js';
import { networkName } from '../../ui/network-name.js';
import { QrCode } from '../../ui/qr-code.js';
import { StepForm } from '../../ui/step-form.js';
import type { Deposit as DepositAction } from '../../wire/types.js';

/** Shows the deposit address and the deadline. After the deadline the address is hidden, so that nothing is sent any more. */
export function DepositView({ screen, settings, t, send }: ViewProps<Deposit>) {
  const action = screen.intent.next_action;
  if (action?.type !== 'crypto_deposit') return null;
  const { isLate, isSending, refusal } = screen;
  return (
    <StepForm title={t.depositTitle(action.asset)} errors={{}} refusal={refusal} t={t} send={send}>
      <div role="alert" class="alerts">
        {isLate && <p class="notice">{t.depositLate}</p>}
      </div>
      {!isLate && <Instructions action={action} until={screen.until} locale={settings.locale} t={t} />}
      {!isLate && (
        <SubmitButton isBusy={isSending} busyText={t.sending}>
          {t.sent}
        </SubmitButton>
      )}
      {!isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.cancelPayment}</QuietButton>}
    </StepForm>
  );
}

interface InstructionsProps extends Pick<ViewProps<Deposit>, 't'> {
  readonly action: DepositAction;
  readonly until: number;
  readonly locale: string;
}

function Instructions({ action, until, locale, t }: InstructionsProps) {
  const { address, amount, asset, network, memo } = action;
  const money = formatCrypto(amount, asset, locale);
  return (
    <>
      <p>{t.depositText(money, networkName(network))}</p>
      <p class="network-badge">
        <Coin code={asset} network={network} isSmall />
        <span>{t.depositWarning(asset, networkName(network))}</span>
      </p>
      <p class="held">
        <span>{t.depositWithin}</span> <Countdown until={until} />
      </p>
      <PriceTerms action={action} locale={locale} t={t} />
      <div class="deposit">
        <QrCode text={address} label={t.depositQr} />
        <Copyable title={t.depositAddress} shown={<Address address={address} />} copied={address} t={t} />
        <Copyable title={t.depositAmount} shown={money} copied={amount} t={t} />
        {memo !== null && <Copyable title={t.depositMemo} shown={memo} copied={memo} t={t} />}
      </div>
      {memo !== null && <p class="notice">{t.depositMemoHint}</p>}
    </>
  );
}

/** Until when the price is held, and what happens to a later deposit. */
function PriceTerms({ action, locale, t }: Omit<InstructionsProps, 'until'>) {
  const { price_held_until: until, price_tolerance_bps: tolerance } = action;
  if (until === undefined || tolerance === undefined || until >= action.expires_at) return null;
  const percent = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 2,
    numberingSystem: 'latn',
  }).format(tolerance / 10_000);
  return <p>{t.depositPrice(timeText(until, locale), percent)}</p>;
}
