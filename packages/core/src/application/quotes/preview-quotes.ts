import type { Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import { spanOf } from '../../domain/quote/offers.js';
import type { QuoteAsk, ServedAsk } from '../../domain/quote/quote-ask.js';
import type { Quote } from '../../domain/quote/quote.js';
import type { Engine } from '../engine.js';
import { priceAsk, type PriceRefusal, type QuoteCaller } from './price-ask.js';

export interface QuotePreview {
  readonly ask: ServedAsk;
  readonly quotes: readonly Quote[];
  readonly rateFetchedAt: Instant;
  readonly expiresAt: Instant;
}

/** What every payment method would give. Nothing is kept of it, and its ids are good for nothing: an executable quote has another. */
export async function previewQuotes(
  engine: Engine,
  caller: QuoteCaller,
  asked: QuoteAsk,
): Promise<Result<QuotePreview, PriceRefusal>> {
  const priced = await priceAsk(engine, caller, asked, null);
  const now = engine.clock.now(caller.scope.mode);
  return priced.map(({ ask, offers }) => ({
    ask,
    quotes: offers.map(({ quote }) => ({ ...quote, id: `preview_${engine.ids.object(now)}` })),
    ...spanOf(offers),
  }));
}
