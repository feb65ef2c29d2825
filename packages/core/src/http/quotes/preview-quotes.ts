import { previewQuotes } from '../../application/quotes/preview-quotes.js';
import { quotePreviewResource } from '../../domain/quote/quote-preview.js';
import { endpoint } from '../endpoint.js';
import { SECRET_WRITE } from '../presets.js';
import { perMinute } from '../rate-rules.js';
import { PREVIEW_QUOTES_BODY, PRICE_REFUSALS, QUOTE_PREVIEW } from './quote-schemas.js';

export const previewQuotesEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'previewQuotes',
  path: '/v1/quotes/preview',
  summary: 'Preview quotes for all payment methods in one call',
  // Nothing is kept of a preview, so a repeat may get a new answer.
  idempotency: 'ignored',
  limits: perMinute(30),
  body: PREVIEW_QUOTES_BODY,
  reply: QUOTE_PREVIEW,
  refusals: PRICE_REFUSALS,
  run: async ({ engine, caller, body }) => {
    const preview = await previewQuotes(engine, caller, body);
    return preview.map(quotePreviewResource);
  },
});
