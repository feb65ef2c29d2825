import type { Messages } from '../../i18n/en.js';
import { formatDecimal, formatFiat } from '../../money/format-amount.js';
import type { UnavailableDetail } from '../../wire/types.js';

/** The text for the term that no provider supports, with the violated limit; null if only the reason is known. */
export function unservedText(detail: UnavailableDetail | null, locale: string, t: Messages): string | null {
  if (detail === null) return null;
  const { term, code, value, currency, min_amount: min, max_amount: max, decimals } = detail;
  if (code === 'too_many_decimals' && currency !== null && decimals !== null)
    return t.unserved.tooManyDecimals(formatDecimal(value, locale), currency, decimals);
  if (code === 'below_minimum' && currency !== null && min !== null)
    return t.unserved.belowMinimum(formatFiat(min, currency, locale));
  if (code === 'above_maximum' && currency !== null && max !== null)
    return t.unserved.aboveMaximum(formatFiat(max, currency, locale));
  if (term === 'currency' || term === 'target_token' || term === 'target_network') return t.unserved[term](value);
  return null;
}
