import type { Order } from '../../app/screen.js';
import type { ChoiceName } from '../../app/event.js';
import { AssetPicker } from '../../ui/asset-picker.js';
import { Choice } from '../../ui/choice.js';
import type { TermedProps } from '../../ui/context.js';
import { Field } from '../../ui/field.js';
import { assetOf, choicesOf, chosenOf } from './choices.js';
import { limitsOf, limitText } from './limit-text.js';

/** The choices that the terms leave to the buyer: the assets sent and received and, without a session, the amount and currency. */
export function OrderChoices({ screen, terms, settings, t, send }: Omit<TermedProps<Order>, 'app'>) {
  const { draft, errors } = screen;
  const choice = (of: ChoiceName) => ({ of, label: t.choice[of], chosen: chosenOf(terms, draft, of), t, send });
  const assets = (of: 'source' | 'target') =>
    choicesOf(terms, draft, of).map((value) => ({ value, ...assetOf(value) }));
  const currencies = choicesOf(terms, draft, 'currency').map((value) => ({ value, text: value }));
  return (
    <div class="fields">
      {terms.sessionId === null && (
        <>
          <Field
            name="amount"
            label={currencies.length < 2 ? t.amountIn(terms.currency) : t.amount}
            value={draft.amount ?? terms.amount}
            error={errors.amount}
            errorText={limitText(errors.amount ?? '', limitsOf(draft, terms.currency), settings.locale, t)}
            isHalf={currencies.length >= 2}
            t={t}
            send={send}
            input={{ inputMode: 'decimal', autocomplete: 'off', dir: 'ltr', maxLength: 20 }}
          />
          <Choice {...choice('currency')} options={currencies} isHalf />
        </>
      )}
      <AssetPicker {...choice('source')} options={assets('source')} />
      <AssetPicker {...choice('target')} options={assets('target')} />
    </div>
  );
}
