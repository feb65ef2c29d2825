import { keepRefusal } from '../../application/timeline/keep-refusal.js';
import { quoteEmbed } from '../../application/embed/quote-embed.js';
import { endpoint } from '../endpoint.js';
import { EMBED_WRITE } from '../presets.js';
import { CREATE_QUOTES_BODY, EMBED_QUOTES, QUOTE_REFUSALS } from './quote-schemas.js';
import { quotesResource } from './quotes-resource.js';

export const createQuotesEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'createQuotes',
  path: '/v1/embed/quotes',
  summary: 'Create quotes for the checkout, one per payment method',
  // Nothing is kept of a quote here, so a repeat may get a new answer.
  idempotency: 'ignored',
  body: CREATE_QUOTES_BODY,
  reply: EMBED_QUOTES,
  refusals: QUOTE_REFUSALS,
  run: async ({ engine, caller, body, mode, requestId }) => {
    const quotes = await quoteEmbed(engine, caller, body);
    if (quotes.isErr()) {
      const { scope, sessionId } = caller.token;
      await keepRefusal(engine, { scope, sessionId, code: quotes.error.code, asked: body, requestId });
    }
    return quotes.map((found) => quotesResource(found, { ...found.attempt, countryCode: body.countryCode, mode }));
  },
});
