import type { Payment, PaymentField, Terms } from '../../app/screen.js';
import { cardBrand, groupedCard, groupedExpiry } from '../../forms/card.js';
import { groupedIban } from '../../forms/iban.js';
import type { Messages } from '../../i18n/en.js';
import { formatSide } from '../../money/format-amount.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import { CardMark } from '../../ui/card-mark.js';
import type { TermedProps } from '../../ui/context.js';
import { Lost, usePart } from '../../ui/later.js';
import { Field, type FieldProps } from '../../ui/field.js';
import { AddressRow } from '../../ui/address.js';
import { FoldedPrice } from '../../ui/price-box.js';
import { Skeleton } from '../../ui/skeleton.js';
import { StepForm } from '../../ui/step-form.js';
import type { Quote } from '../../wire/types.js';
import { laterSteps } from '../later-steps.js';
import { isAllFixed } from '../order/choices.js';
import { otherMethod } from '../outcome/failure-state.js';
import { chosenQuote } from '../quoting.js';
import { paymentFields, shownFields } from './payment-state.js';
import { canSave, chosenCard, savedCards } from './saved-cards-state.js';
import { shownWallets, WalletButtons } from './wallet-buttons.js';

export function PaymentView({ screen, terms, settings, t, send }: TermedProps<Payment>) {
  // Loaded now, so that the following steps need no connection to show their views.
  const { loaded: later, retry } = usePart(laterSteps);
  const { draft, form } = screen;
  const quote = chosenQuote(draft);
  const price = draft.isAsking ? null : quote;
  const isTest = settings.mode === 'test';
  const wallet = draft.flow === 'off_ramp' ? '' : (terms.walletAddress ?? draft.wallet);
  const fields = shownFields(terms, screen);
  const cards = savedCards(terms, draft);
  const removing = cards.find(({ id }) => id === screen.removing?.id);
  const other = screen.declined === null ? null : otherMethod(draft, screen.declined.intent);
  const isFirst = isAllFixed(terms, draft.flow);
  // Chosen on the first screen, or there was none.
  const hasWalletFirst = draft.component !== null || isFirst;
  const wallets = {
    wallets: shownWallets(terms, draft, settings),
    isOff: form.isSending || price === null,
    t,
    send,
  };
  const hasMethods = (draft.quotes?.quotes.filter(({ available }) => available).length ?? 0) > 1;
  const back = !isFirst ? t.back : hasMethods && other === null ? t.otherWay : null;
  const brand = cardBrand(form.values.card_number);
  // Without the saved-cards view the form is not shown, since a card that is not visible must not be charged.
  if (retry !== null && cards.length > 0) return <Lost t={t} retry={retry} />;
  if (later === null && chosenCard(terms, screen) !== null) return <Skeleton t={t} />;
  return (
    <StepForm
      title={titleOf(screen, t)}
      errors={form.errors}
      errorText={declinedText(screen, t)}
      refusal={form.refusal}
      t={t}
      send={send}
    >
      <FoldedPrice draft={draft} quote={quote} locale={settings.locale} t={t} send={send}>
        <dl class="rows addresses">
          {wallet !== '' && <AddressRow title={t.toWallet} address={wallet} />}
          {draft.flow !== 'on_ramp' && <AddressRow title={t.refundTo} address={draft.refund} />}
        </dl>
      </FoldedPrice>
      {hasWalletFirst && <WalletButtons {...wallets} isBeforeCard />}
      {later !== null && (
        <later.SavedCards
          cards={cards}
          unpayable={draft.unpayable}
          chosen={chosenCard(terms, screen)}
          error={form.errors.card_number}
          t={t}
          send={send}
        />
      )}
      {later !== null && removing !== undefined && (
        <later.RemoveSheet card={removing} isSending={screen.removing?.isSending ?? false} t={t} send={send} />
      )}
      {draft.method !== 'card' && paymentFields(terms, draft).length === 0 && (
        <p>{draft.flow === 'swap' ? t.swapText : t.bankTransferText}</p>
      )}
      <div class="fields">
        {fields.map((field) => (
          <Field
            key={field}
            {...fieldProps(field, t)}
            end={brand !== null && field === 'card_number' && <CardMark brand={brand} />}
            value={form.values[field]}
            error={form.errors[field]}
            t={t}
            send={send}
          />
        ))}
      </div>
      {fields.includes('card_number') && canSave(terms, draft) && (
        <label class="check">
          <input
            type="checkbox"
            checked={screen.isSaving}
            onChange={({ currentTarget }) => send({ type: 'chose_to_save', isSaving: currentTarget.checked })}
          />
          <span>{t.saveCard(settings.partnerName ?? '')}</span>
        </label>
      )}
      {isTest && fields.includes('card_number') && (
        <p class="hint test-hint">
          {t.testCards}
          {hasBankPage(terms) && ` ${t.testPageCard}`}
        </p>
      )}
      {isTest && fields.includes('iban') && <p class="hint test-hint">{t.testIban}</p>}
      {isTest && fields.includes('routing_number') && <p class="hint test-hint">{t.testAch}</p>}
      <div class="sticky">
        <SubmitButton isBusy={form.isSending} busyText={t.sending} isOff={price === null}>
          {submitText(screen, price, settings.locale, t)}
        </SubmitButton>
      </div>
      {!hasWalletFirst && <WalletButtons {...wallets} />}
      {other !== null && (
        <QuietButton onClick={() => send({ type: 'chose_method', method: other })}>{t.otherWay}</QuietButton>
      )}
      {back !== null && !form.isSending && !screen.isUnknown && (
        <QuietButton onClick={() => send({ type: 'went_back' })}>{back}</QuietButton>
      )}
    </StepForm>
  );
}

/** Whether the sandbox serves its bank page. It offers components only then. */
function hasBankPage({ components }: Terms): boolean {
  return components.some(({ provider }) => provider === 'sandbox');
}

/** The text of a decline, shown until the card number is changed. */
function declinedText({ declined, form }: Payment, t: Messages): string | null {
  if (declined === null || form.errors.card_number !== 'card_declined') return null;
  return `${t.failures[declined.failure.code] ?? t.otherFailure} ${t.notCharged}`;
}

function titleOf({ draft }: Payment, t: Messages): string {
  if (draft.flow === 'off_ramp') return t.paymentTitle.payout;
  return t.paymentTitle[draft.method ?? 'crypto'];
}

function submitText({ draft }: Payment, quote: Quote | null, locale: string, t: Messages): string {
  if (quote === null) return t.gettingPrice;
  switch (draft.flow) {
    case 'on_ramp':
      return draft.method === 'bank_transfer'
        ? t.confirmTransfer
        : t.pay(formatSide({ ...quote.source, amount: quote.source_total }, locale));
    case 'off_ramp':
      return t.confirmSale(formatSide(quote.destination, locale));
    case 'swap':
      return t.confirmSwap;
  }
}

type OfField = Pick<FieldProps, 'name' | 'label' | 'hint' | 'isHalf' | 'layOut' | 'input'>;

/** The `autocomplete` values let browsers fill in saved cards. */
function fieldProps(field: PaymentField, t: Messages): OfField {
  const digits = { inputMode: 'numeric', dir: 'ltr' } as const;
  switch (field) {
    case 'card_number':
      return {
        name: field,
        label: t.cardNumber,
        layOut: groupedCard,
        input: { ...digits, autocomplete: 'cc-number', placeholder: '1234 1234 1234 1234' },
      };
    case 'expiry':
      return {
        name: field,
        label: t.expiry,
        isHalf: true,
        hint: t.expiryHint,
        layOut: groupedExpiry,
        input: { ...digits, autocomplete: 'cc-exp' },
      };
    case 'cvc':
      return {
        name: field,
        label: t.cvc,
        isHalf: true,
        hint: t.cvcHint,
        input: { ...digits, autocomplete: 'cc-csc' },
      };
    case 'iban':
      return {
        name: field,
        label: t.iban,
        layOut: groupedIban,
        input: { dir: 'ltr', autocomplete: 'off', autocapitalize: 'characters', spellcheck: false, class: 'code' },
      };
    case 'routing_number':
      return {
        name: field,
        label: t.routingNumber,
        hint: t.routingNumberHint,
        input: { ...digits, autocomplete: 'off', class: 'code' },
      };
    case 'account_number':
      return {
        name: field,
        label: t.accountNumber,
        input: { ...digits, autocomplete: 'off', class: 'code' },
      };
    case 'account_holder':
      return {
        name: field,
        label: t.accountHolder,
        hint: t.accountHolderHint,
        input: { autocomplete: 'name', maxLength: 140, dir: 'auto' },
      };
  }
}
