import { err, ok, type Result } from 'neverthrow';
import {
  boundsOf,
  narrowed,
  whyRestricted,
  type Restricted,
  type RestrictedTerms,
  type Restrictions,
} from '../partner/restrictions.js';
import type { Refusal } from '../refusal.js';
import type { Quote } from './quote.js';

/**
 * A provider's quotes for a partner with these restrictions, with the limits that hold for it. What is excluded is unavailable, as what a
 * provider does not serve; a method that was not asked for by name is left out. Refused where no quote is left, or the amount is the reason
 * for all.
 */
export function restrictQuotes(
  quotes: readonly Quote[],
  asked: RestrictedTerms,
  restrictions: Restrictions | null | undefined,
): Result<readonly Quote[], Refusal<Restricted['code']>> {
  if (restrictions === null || restrictions === undefined) return ok(quotes);
  const judged = quotes.map((quote) => ({ quote, why: whyRestricted(restrictions, termsOf(quote, asked)) }));
  const listed = judged.filter(
    ({ why }) => why?.term !== 'asset' && (why?.term !== 'payment_method' || asked.paymentMethod !== null),
  );
  const amounts = listed.flatMap(({ why }) => (why?.term === 'amount' ? [why] : []));
  const refusal = amounts.length === listed.length ? (amounts[0] ?? judged.find(({ why }) => why !== null)?.why) : null;
  if (refusal !== null && refusal !== undefined) return err({ code: refusal.code, message: refusal.message });
  return ok(listed.map(({ quote, why }) => restricted(quote, why, asked, restrictions)));
}

/** The terms as the quote fills them in. */
function termsOf({ paymentMethod, source, destination }: Quote, asked: RestrictedTerms): RestrictedTerms {
  const { flow } = asked;
  return {
    ...asked,
    paymentMethod,
    ...(flow === 'on_ramp' ? {} : { sourceToken: source.currency, sourceNetwork: source.network }),
    ...(flow === 'off_ramp' ? {} : { targetToken: destination.currency, targetNetwork: destination.network }),
  };
}

function restricted(
  quote: Quote,
  why: Restricted | null,
  { flow }: RestrictedTerms,
  restrictions: Restrictions,
): Quote {
  const { paymentMethod, limits } = quote;
  const bounds = boundsOf(restrictions, { flow, paymentMethod, currency: limits.currency });
  const row = { ...quote, limits: narrowed(limits, bounds) };
  if (why === null || !quote.available) return row;
  return { ...row, available: false, unavailableReason: REASONS[why.term] ?? why.code };
}

/** As providers name them in quotes. */
const REASONS: Partial<Record<Restricted['term'], string>> = {
  payment_method: 'payment_method_not_supported',
  country: 'region_unsupported',
};
