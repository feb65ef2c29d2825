import type { Order } from '../../app/screen.js';
import type { ChoiceName } from '../../app/event.js';
import { Choice } from '../../ui/choice.js';
import type { TermedProps } from '../../ui/context.js';
import { Field } from '../../ui/field.js';
import { networkName } from '../../ui/network-name.js';
import { assetOf, choicesOf, chosenOf } from './choices.js';

/** What the terms leave to the buyer: without a session the amount too, and what is sent and received. */
export function OrderChoices({ screen, terms, t, send }: Pick<TermedProps<Order>, 'screen' | 'terms' | 't' | 'send'>) {
  const { draft, faults } = screen;
  const textOf = (of: ChoiceName, value: string): string => {
    if (of === 'currency') return value;
    const { token, network } = assetOf(value);
    return `${token} ${t.onNetwork(networkName(network))}`;
  };
  const choice = (of: ChoiceName) => ({
    of,
    label: t.choice[of],
    options: choicesOf(terms, draft, of).map((value) => ({ value, text: textOf(of, value) })),
    chosen: chosenOf(terms, draft, of),
    send,
  });
  const currency = choice('currency');
  return (
    <div class="fields">
      {terms.sessionId === null && (
        <>
          <Field
            name="amount"
            label={currency.options.length < 2 ? t.amountIn(terms.currency) : t.amount}
            value={draft.amount ?? terms.amount}
            fault={faults.amount}
            isHalf={currency.options.length >= 2}
            t={t}
            send={send}
            input={{ inputMode: 'decimal', autocomplete: 'off', dir: 'ltr', maxLength: 20 }}
          />
          <Choice {...currency} isHalf />
        </>
      )}
      <Choice {...choice('source')} />
      <Choice {...choice('target')} />
    </div>
  );
}
