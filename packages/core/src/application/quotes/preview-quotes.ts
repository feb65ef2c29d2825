import type { Result } from 'neverthrow';
import { spanOf } from '../../domain/quote/offers.js';
import type { QuoteAsk } from '../../domain/quote/quote-ask.js';
import type { QuotePreview } from '../../domain/quote/quote-preview.js';
import type { MarketCaller } from '../capabilities/read-capabilities.js';
import type { Engine } from '../engine.js';
import { priceAsk, type PriceRefusal } from './price-ask.js';

/** What every payment method would give. Nothing is stored, and its ids cannot be used: an executable quote has another. */
export async function previewQuotes(
  engine: Engine,
  caller: MarketCaller,
  asked: QuoteAsk,
): Promise<Result<QuotePreview, PriceRefusal>> {
  const priced = await priceAsk(engine, caller, asked, null);
  const { mode } = caller.scope;
  const now = engine.clock.now(mode);
  return priced.map(({ ask, offers }) => ({
    mode,
    ask,
    quotes: offers.map(({ quote }) => ({ ...quote, id: `preview_${engine.ids.object(now)}` })),
    ...spanOf(offers),
  }));
}
