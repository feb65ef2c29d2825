import type { QuotePreview } from '../../application/quotes/preview-quotes.js';
import { isoTime } from '../../domain/instant.js';
import { toJsonText, type JsonText } from '../../domain/json/json-text.js';
import type { Mode } from '../../domain/mode.js';
import { askMembers, type GateAsk } from '../../domain/quote/quote-ask.js';
import { quoteMembers, type GateQuote } from '../../domain/quote/quote.js';

/** Quotes of all payment methods on the wire. */
export type GateQuotePreview = GateAsk & {
  readonly object: 'quote_preview';
  readonly mode: Mode;
  readonly rate_fetched_at: string;
  readonly expires_at: string;
  readonly quotes: readonly GateQuote[];
};

export function quotePreviewResource(preview: QuotePreview, mode: Mode): JsonText<GateQuotePreview> {
  return toJsonText({
    object: 'quote_preview',
    mode,
    ...askMembers(preview.ask),
    rate_fetched_at: isoTime(preview.rateFetchedAt),
    expires_at: isoTime(preview.expiresAt),
    quotes: preview.quotes.map(quoteMembers),
  } satisfies GateQuotePreview);
}
