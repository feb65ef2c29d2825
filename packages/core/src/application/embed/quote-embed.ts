import { err, ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import { CHECKOUT_SUSPENDED, isEntitled, isSuspended, type Partner } from '../../domain/partner/partner.js';
import {
  bestPerMethod,
  type ChargingProvider,
  isChargedBy,
  offersOfCharging,
  spanOf,
} from '../../domain/quote/offers.js';
import type { Quote } from '../../domain/quote/quote.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { Session } from '../../domain/session/session.js';
import { bindTerms, type PaymentAttempt } from '../../domain/session/terms.js';
import type { MarketRefusalCode } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { findRoute, offersOnRoute, taggedId } from '../providers/route-provider.js';
import { type EmbedToken, sessionOfToken } from './embed-token.js';
import { savedMethodForPrice } from './saved-methods.js';

export interface QuoteEmbed extends PaymentAttempt {
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  /** The id of the saved method that the buyer intends to pay with. */
  readonly savedMethod: string | null;
  /** The provider whose component the buyer intends to pay with. */
  readonly provider: string | null;
}

/** A checkout quote, and the provider-specific ways to pay it. */
export interface CheckoutQuote extends Quote {
  /** Null if no saved method, or a different one, can pay the quote. */
  readonly savedMethod: string | null;
  /** The provider whose components can pay it; null if it has none, because browsers must not learn which provider serves them. */
  readonly provider: string | null;
}

type QuoteEmbedRefusal = Refusal<
  | 'session_not_open'
  | 'amount_mismatch'
  | 'terms_mismatch'
  | 'swap_not_enabled'
  | 'partner_suspended'
  | 'session_not_found'
  | 'invalid_embed_token'
  | MarketRefusalCode
>;

export interface Quotes {
  readonly quotes: readonly CheckoutQuote[];
  readonly rateFetchedAt: Instant;
  readonly expiresAt: Instant;
  /** The priced attempt: bound to the session's terms if there is a session. */
  readonly attempt: PaymentAttempt;
}

/** Quotes for the checkout, bound to the session's terms if there is a session. An anonymous browser may choose any terms. */
export async function quoteEmbed(
  engine: Engine,
  { token, partner }: { readonly token: EmbedToken; readonly partner: Partner },
  { savedMethod, provider, ...input }: QuoteEmbed,
): Promise<Result<Quotes, QuoteEmbedRefusal>> {
  const bound = await boundAttempt(engine, token, input);
  if (bound.isErr()) return err(bound.error);
  const { attempt, session } = bound.value;
  if (input.flow === 'swap' && !isEntitled(partner, 'swap'))
    return refuse('swap_not_enabled', 'Swap is not enabled for this partner.');
  if (isSuspended(partner)) return err(CHECKOUT_SUSPENDED);
  const caller = { partner, scope: token.scope };
  const route = await findRoute(engine, caller, { ...input, ...attempt }, 'corridor_not_supported');
  if (route.isErr()) return err(route.error);
  const [priced, held] = await Promise.all([
    offersOnRoute(engine, caller, route.value),
    session === null || savedMethod === null ? null : savedMethodForPrice(engine, { session, partner }, savedMethod),
  ]);
  const keeper = held && { provider: held.provider.name, paymentMethod: held.method.type };
  const components = route.value.offerings.flatMap(({ served }) => served.components ?? []);
  // A saved method takes precedence over components.
  const charging: readonly ChargingProvider[] = [
    ...(keeper === null ? [] : [keeper]),
    ...components.filter((one) => one.provider === provider && one.paymentMethod !== keeper?.paymentMethod),
  ];
  return priced.map((all) => {
    const offers = bestPerMethod(charging.reduce(offersOfCharging, all));
    const quotes = offers.map((offer) => ({
      ...offer.quote,
      id: taggedId(engine, offer.provider, offer.quote.id),
      savedMethod: keeper !== null && isChargedBy(offer, keeper) ? savedMethod : null,
      provider: components.some((one) => isChargedBy(offer, one)) ? offer.provider : null,
    }));
    return { attempt, quotes, ...spanOf(offers) };
  });
}

async function boundAttempt(
  engine: Engine,
  token: EmbedToken,
  input: PaymentAttempt,
): Promise<Result<Bound, QuoteEmbedRefusal>> {
  if (token.sessionId === null) return ok({ attempt: input, session: null });
  const session = await sessionOfToken(engine, token);
  if (session.isErr()) return err(session.error);
  const { status, terms } = session.value;
  if (status !== 'open') return refuse('session_not_open', `The session is already ${status}.`);
  return bindTerms(terms, input).map((attempt) => ({ attempt, session: session.value }));
}

interface Bound {
  readonly attempt: PaymentAttempt;
  readonly session: Session | null;
}
