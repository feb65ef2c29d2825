import type { QuoteEmbed, Quotes } from '../../application/embed/quote-embed.js';
import { isoTime } from '../../domain/instant.js';
import { toJsonText, type JsonText } from '../../domain/json/json-text.js';
import type { Mode } from '../../domain/mode.js';
import { quoteMembers, type GateQuote } from '../../domain/quote/quote.js';
import type { Flow } from '../../domain/session/terms.js';

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
