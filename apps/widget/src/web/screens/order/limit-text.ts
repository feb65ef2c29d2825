import type { Draft } from '../../app/screen.js';
import type { Messages } from '../../i18n/en.js';
import { formatFiat } from '../../money/format-amount.js';
import type { Limits } from '../../wire/types.js';

/** The text for the limit that an amount violates, by error code; null if the limit is unknown or the code concerns no limit. */
export function limitText(code: string, limits: readonly Limits[], locale: string, t: Messages): string | null {
  const [first, ...others] = limits;
  if (first === undefined) return null;
  const isLow = code === 'amount_below_minimum';
  if (!isLow && code !== 'amount_above_maximum') return null;
  // The widest limit of all payment methods applies.
  const bound = others.reduce(
    (widest, { min_amount: min, max_amount: max }) => {
      if (isLow) return Number(min) < Number(widest) ? min : widest;
      return Number(max) > Number(widest) ? max : widest;
    },
    isLow ? first.min_amount : first.max_amount,
  );
  const money = formatFiat(bound, first.currency, locale);
  return isLow ? t.limitMin(money) : t.limitMax(money);
}

/** The limits in the currency of the draft. */
export function limitsOf({ limits, currency }: Draft, fixed: string): readonly Limits[] {
  return limits.filter((one) => one.currency === (currency ?? fixed));
}
