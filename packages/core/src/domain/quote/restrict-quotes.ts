import { err, ok, type Result } from 'neverthrow';
import type { Capabilities, ServedAsset } from '../capabilities/capabilities.js';
import type { PaymentMethod } from '../intent/intent.js';
import {
  boundsOf,
  narrowed,
  type Restricted,
  type RestrictedTerms,
  type Restrictions,
  whyRestricted,
} from '../partner/restrictions.js';
import type { Refusal } from '../refusal.js';
import type { MarketTerms } from './price-request.js';
import type { Quote } from './quote.js';

/**
 * Applies a partner's restrictions, and their limits, to a provider's quotes. Excluded quotes become unavailable, like services that the
 * provider does not offer; a method that was not requested by name is left out. Refused if no quote is left, or if every quote is excluded
 * by its amount.
 */
export function restrictQuotes(
  quotes: readonly Quote[],
  requested: RestrictedTerms,
  restrictions: Restrictions | null | undefined,
): Result<readonly Quote[], Refusal<Restricted['code']>> {
  if (restrictions === null || restrictions === undefined) return ok(quotes);
  const judged = quotes.map((quote) => ({ quote, why: whyRestricted(restrictions, termsOf(quote, requested)) }));
  const listed = judged.filter(
    ({ why }) => why?.term !== 'asset' && (why?.term !== 'payment_method' || requested.paymentMethod !== null),
  );
  const amounts = listed.flatMap(({ why }) => (why?.term === 'amount' ? [why] : []));
  const refusal = amounts.length === listed.length ? (amounts[0] ?? judged.find(({ why }) => why !== null)?.why) : null;
  if (refusal !== null && refusal !== undefined) return err({ code: refusal.code, message: refusal.message });
  return ok(listed.map(({ quote, why }) => restricted(quote, why, requested, restrictions)));
}

/** The terms with the quote's values filled in. */
function termsOf({ paymentMethod, source, destination }: Quote, requested: RestrictedTerms): RestrictedTerms {
  const { flow } = requested;
  return {
    ...requested,
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

/** The reasons that providers also use in quotes. */
const REASONS: Partial<Record<Restricted['term'], string>> = {
  payment_method: 'payment_method_not_supported',
  country: 'region_unsupported',
};

/**
 * Names the tokens and networks that are left open, for partners with restricted assets: the provider's default might be excluded. `served`
 * has the restrictions applied.
 */
export function fillOpenAssets<Terms extends MarketTerms>(
  terms: Terms,
  { assets }: Capabilities,
  restrictions: Restrictions | null | undefined,
): Terms {
  if (restrictions?.assets === undefined) return terms;
  const { flow } = terms;
  const usable = assets.filter(({ flows }) => flows.includes(flow));
  const requested = { token: terms.targetToken, network: terms.targetNetwork };
  const target = flow === 'off_ramp' ? requested : pick(usable, requested, terms.sourceToken);
  const sent = { token: terms.sourceToken, network: terms.sourceNetwork };
  const source = flow === 'on_ramp' ? sent : pick(usable, sent, target.token);
  return {
    ...terms,
    sourceToken: source.token,
    sourceNetwork: source.network,
    targetToken: target.token,
    targetNetwork: target.network,
  };
}

/** Names the payment method if it is left open: the first one served that the restrictions allow for this payment. */
export function fillOpenMethod<
  Terms extends MarketTerms & {
    readonly amount: string;
    readonly paymentMethod: PaymentMethod | null;
    readonly countryCode: string | null;
  },
>(terms: Terms, { paymentMethods }: Capabilities, restrictions: Restrictions | null | undefined): Terms {
  if (terms.paymentMethod !== null || (!restrictions?.paymentMethods && !restrictions?.limits)) return terms;
  const served = paymentMethods[terms.flow] ?? [];
  const fits = served.find((paymentMethod) => whyRestricted(restrictions, { ...terms, paymentMethod }) === null);
  return { ...terms, paymentMethod: fits ?? served[0] ?? null };
}

interface OpenAsset {
  readonly token: string | null;
  readonly network: string | null;
}

/** Keeps named values. Prefers a token different from the other side's, because a swap exchanges two tokens. */
function pick(usable: readonly ServedAsset[], requested: OpenAsset, other: string | null): OpenAsset {
  const fitting = usable.flatMap(({ code, networks }) =>
    networks
      .map((network) => ({ token: code, network }))
      .filter(({ token, network }) => isOpenOr(requested.token, token) && isOpenOr(requested.network, network)),
  );
  const picked = fitting.find(({ token }) => token.toUpperCase() !== other?.toUpperCase()) ?? fitting[0];
  return { token: requested.token ?? picked?.token ?? null, network: requested.network ?? picked?.network ?? null };
}

function isOpenOr(named: string | null, served: string): boolean {
  return named === null || named.toUpperCase() === served.toUpperCase();
}
