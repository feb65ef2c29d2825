import type { Transfer } from '../../app/screen.js';
import { groupedIban } from '../../forms/iban.js';
import { formatFiat } from '../../money/format-amount.js';
import { QuietButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { Copyable } from '../../ui/copyable.js';
import { Countdown } from '../../ui/countdown.js';
import { StepForm } from '../../ui/step-form.js';
import type { BankTransfer } from '../../wire/types.js';

/** Shows the bank account to pay to and the deadline. After the deadline the account is hidden, so that no buyer pays into it any more. */
export function TransferView({ screen, settings, t, send }: ViewProps<Transfer>) {
  const action = screen.intent.next_action;
  if (action?.type !== 'bank_transfer') return null;
  const { isLate, isSending, refusal, until } = screen;
  const money = formatFiat(action.amount, action.currency, settings.locale);
  return (
    <StepForm title={t.transferTitle(money)} errors={{}} refusal={refusal} t={t} send={send}>
      <div role="alert" class="alerts">
        {isLate && <p class="notice">{t.transferLate}</p>}
      </div>
      {!isLate && <Instructions action={action} money={money} until={until} t={t} />}
      {!isLate && (
        <p class="quiet" role="status">
          <span class="spinner" aria-hidden="true" /> {t.transferAwaited}
        </p>
      )}
      {settings.mode === 'test' && !isLate && <p class="hint test-hint">{t.testTransfer}</p>}
      {!isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.cancelPayment}</QuietButton>}
    </StepForm>
  );
}

interface InstructionsProps extends Pick<ViewProps<Transfer>, 't'> {
  readonly action: BankTransfer;
  readonly money: string;
  readonly until: number;
}

function Instructions({ action, money, until, t }: InstructionsProps) {
  const { iban, bic, account_holder: holder, reference, amount } = action;
  return (
    <>
      <p>{t.transferText}</p>
      <p class="held">
        <span>{t.transferWithin}</span> <Countdown until={until} />
      </p>
      <div class="deposit">
        <Copyable title={t.transferAmount} shown={money} copied={amount} t={t} />
        <Copyable title={t.iban} shown={groupedIban(iban)} copied={iban} t={t} />
        <Copyable title={t.bic} shown={bic} copied={bic} t={t} />
        <Copyable title={t.accountHolder} shown={holder} copied={holder} t={t} />
        <Copyable title={t.transferReference} shown={reference} copied={reference} t={t} />
      </div>
      <p class="notice">{t.transferReferenceHint}</p>
    </>
  );
}
