import { isoTime, type Instant } from '../instant.js';
import { toJsonText, type JsonText } from '../json/json-text.js';
import type { Mode } from '../mode.js';
import { askMembers, type GateAsk, type ServedAsk } from './quote-ask.js';
import { quoteMembers, type GateQuote, type Quote } from './quote.js';

/** What every payment method would give for an ask. It is kept nowhere. */
export interface QuotePreview {
  readonly mode: Mode;
  readonly ask: ServedAsk;
  readonly quotes: readonly Quote[];
  readonly rateFetchedAt: Instant;
  readonly expiresAt: Instant;
}

/** Quotes of all payment methods on the wire. */
export type GateQuotePreview = GateAsk & {
  readonly object: 'quote_preview';
  readonly mode: Mode;
  readonly rate_fetched_at: string;
  readonly expires_at: string;
  readonly quotes: readonly GateQuote[];
};

/** A preview as the wire shows it. */
export function quotePreviewResource(preview: QuotePreview): JsonText<GateQuotePreview> {
  return toJsonText({
    object: 'quote_preview',
    mode: preview.mode,
    ...askMembers(preview.ask),
    rate_fetched_at: isoTime(preview.rateFetchedAt),
    expires_at: isoTime(preview.expiresAt),
    quotes: preview.quotes.map(quoteMembers),
  } satisfies GateQuotePreview);
}
