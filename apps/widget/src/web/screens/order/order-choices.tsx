import type { ChoiceName } from '../../app/event.js';
import type { Order } from '../../app/screen.js';
import { AssetPicker } from '../../ui/asset-picker.js';
import { Choice } from '../../ui/choice.js';
import type { TermedProps } from '../../ui/context.js';
import { Field } from '../../ui/field.js';
import { assetOf, choicesOf, chosenOf } from './choices.js';
import { limitsOf, limitText } from './limit-text.js';

type OrderProps = Omit<TermedProps<Order>, 'app'>;

/** The amount and currency, which the buyer chooses where no session fixes them. */
export function AmountChoice({ screen, terms, settings, t, send }: OrderProps) {
  const { draft, errors } = screen;
  const currencies = choicesOf(terms, draft, 'currency').map((value) => ({ value, text: value }));
  return (
    <div class="fields">
      <Field
        name="amount"
        label={currencies.length < 2 ? t.amountIn(terms.currency) : t.amount}
        value={draft.amount ?? terms.amount}
        error={errors.amount}
        errorText={limitText(errors.amount ?? '', limitsOf(draft, terms.currency), settings.locale, t)}
        isHalf={currencies.length >= 2}
        t={t}
        send={send}
        input={{ inputMode: 'decimal', autocomplete: 'off', dir: 'ltr' }}
      />
      <Choice
        of="currency"
        label={t.choice.currency}
        chosen={chosenOf(terms, draft, 'currency')}
        options={currencies}
        isHalf
        send={send}
      />
    </div>
  );
}

/** The picker of the asset that is sent or received; null if there is nothing to choose. */
export function assetPicker(of: Exclude<ChoiceName, 'currency'>, { screen, terms, t, send }: OrderProps) {
  const options = choicesOf(terms, screen.draft, of).map((value) => ({ value, ...assetOf(value) }));
  if (options.length < 2) return null;
  const chosen = chosenOf(terms, screen.draft, of);
  return <AssetPicker of={of} label={t.choice[of]} options={options} chosen={chosen} t={t} send={send} />;
}
