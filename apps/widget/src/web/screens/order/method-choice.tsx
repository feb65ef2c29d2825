import type { Send } from '../../app/run.js';
import { durationText } from '../../i18n/duration.js';
import { MethodIcon } from '../../ui/icons.js';
import type { Messages } from '../../i18n/en.js';
import type { PaymentMethod, Quote } from '../../wire/types.js';
import { limitText } from './limit-text.js';

interface MethodChoiceProps {
  /** Whether the question is shown, not only announced. */
  readonly hasTitle: boolean;
  readonly quotes: readonly Quote[];
  readonly chosen: PaymentMethod | null;
  readonly locale: string;
  readonly t: Messages;
  readonly send: Send;
}

/** The payment methods. Unavailable ones are shown as disabled. A single method is not rendered, since there is nothing to choose. */
export function MethodChoice({ hasTitle, quotes, chosen, locale, t, send }: MethodChoiceProps) {
  if (quotes.length < 2) return null;
  return (
    <fieldset class="methods">
      <legend class={hasTitle ? undefined : 'unseen'}>{t.methods}</legend>
      {quotes.map(({ payment_method: method, available, unavailable_reason: reason, limits, ...quote }) => (
        <label key={method} class="method">
          <input
            type="radio"
            name="method"
            value={method}
            checked={method === chosen}
            disabled={!available}
            onChange={() => send({ type: 'chose_method', method })}
          />
          <MethodIcon method={method} />
          <span class="method-name">{t.method[method]}</span>
          <span class="quiet">
            {available
              ? t.arrives(durationText(quote.estimated_settlement_seconds, locale))
              : (limitText(reason ?? '', [limits], locale, t) ?? t.methodUnavailable)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A placeholder of the size of two payment methods. */
export function MethodBones({ t }: { readonly t: Messages }) {
  return (
    <div class="methods" aria-hidden="true">
      <span class="legend">{t.methods}</span>
      <i class="bone bone-method" />
      <i class="bone bone-method" />
    </div>
  );
}
