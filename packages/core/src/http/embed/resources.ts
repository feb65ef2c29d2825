import type { Bootstrapped, UnavailableReason } from '../../application/embed/bootstrap.js';
import type { QuoteEmbed, Quotes } from '../../application/embed/quote-embed.js';
import { brandingResource, type GateBranding } from '../../domain/branding/branding.js';
import type { Unserved } from '../../domain/capabilities/serves-terms.js';
import { isoTime } from '../../domain/instant.js';
import { jsonObject, type JsonText, toJsonText } from '../../domain/json.js';
import type { Mode } from '../../domain/mode.js';
import { type GateQuote, quoteMembers } from '../../domain/quote/quote.js';
import type { Flow } from '../../domain/session/terms.js';
import {
  checkoutCapabilities,
  type CheckoutCapabilities,
  checkoutPartner,
  type CheckoutPartner,
  checkoutSession,
  type CheckoutSession,
} from './embed-session.js';

/** The term that no provider serves, and the limit it breaks. A limit is null where it is not the cause. */
export type UnavailableDetail = {
  readonly term: Unserved['term'];
  readonly code: Unserved['code'];
  readonly value: string;
  readonly currency: string | null;
  readonly min_amount: string | null;
  readonly max_amount: string | null;
  readonly decimals: number | null;
};

/** The bootstrap answer on the wire (`docs/spec-notes.md`, bootstrap). */
export type EmbedBootstrap = {
  readonly object: 'embed_bootstrap';
  readonly available: boolean;
  readonly unavailable_reason: UnavailableReason | null;
  readonly unavailable_detail: UnavailableDetail | null;
  readonly mode: Mode;
  readonly embed_token: string;
  readonly expires_at: string;
  readonly expires_in: number;
  readonly flow: Flow | null;
  readonly partner: CheckoutPartner;
  readonly session: CheckoutSession | null;
  readonly capabilities: CheckoutCapabilities;
  /** Null while the partner has set nothing. */
  readonly branding: GateBranding | null;
};

export function bootstrapResource(opened: Bootstrapped): JsonText<EmbedBootstrap> {
  const { session, partner, branding } = opened;
  return jsonObject(
    {
      object: 'embed_bootstrap',
      available: opened.unavailableReason === null,
      unavailable_reason: opened.unavailableReason,
      unavailable_detail: opened.unserved === null ? null : unavailableDetail(opened.unserved),
      mode: opened.mode,
      embed_token: opened.embedToken,
      expires_at: isoTime(opened.expiresAt),
      expires_in: Math.floor((opened.expiresAt - opened.issuedAt) / 1000),
      flow: session?.terms.flow ?? null,
      partner: checkoutPartner(partner),
    } satisfies Omit<EmbedBootstrap, 'session' | 'capabilities' | 'branding'>,
    {
      session: session === null ? toJsonText(null) : checkoutSession(session),
      capabilities: toJsonText(checkoutCapabilities(opened)),
      branding: branding === null ? toJsonText(null) : brandingResource(branding),
    },
  );
}

function unavailableDetail({
  term,
  code,
  value,
  currency,
  minAmount,
  maxAmount,
  decimals,
}: Unserved): UnavailableDetail {
  return { term, code, value, currency, min_amount: minAmount, max_amount: maxAmount, decimals };
}

/** Quotes for the checkout on the wire, one per payment method. */
export type EmbedQuotes = {
  readonly object: 'embed_quotes';
  readonly mode: Mode;
  readonly flow: Flow;
  readonly amount: string;
  readonly currency: string;
  readonly country_code: string | null;
  readonly rate_fetched_at: string;
  readonly expires_at: string;
  readonly quotes: readonly GateQuote[];
};

export function quotesResource(
  found: Quotes,
  asked: Pick<QuoteEmbed, 'flow' | 'amount' | 'currency' | 'countryCode'> & { readonly mode: Mode },
): JsonText<EmbedQuotes> {
  return toJsonText({
    object: 'embed_quotes',
    mode: asked.mode,
    flow: asked.flow,
    amount: asked.amount,
    currency: asked.currency,
    country_code: asked.countryCode,
    rate_fetched_at: isoTime(found.rateFetchedAt),
    expires_at: isoTime(found.expiresAt),
    quotes: found.quotes.map(quoteMembers),
  } satisfies EmbedQuotes);
}
