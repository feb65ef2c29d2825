import { createQuote, previewQuotes, retrieveQuote } from '../../application/quotes/create-quote.js';
import type { JsonText } from '../../domain/json.js';
import { quotePreviewResource } from '../../domain/quote/offers.js';
import { type ExecutableQuote, executableQuoteResource, type GateExecutableQuote } from '../../domain/quote/quote.js';
import { endpoint } from '../endpoint.js';
import { param } from '../pipeline/router.js';
import { GLOBAL_TIERS, KEY_REFUSALS, perMinute, RAILS_ENTITLEMENT, SECRET_READ, SECRET_WRITE } from '../presets.js';
import { CREATE_QUOTE_BODY, EXECUTABLE_QUOTE, PREVIEW_QUOTES_BODY, PRICE_REFUSALS, QUOTE_PREVIEW } from './schemas.js';

export const previewQuotesEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'previewQuotes',
  scope: 'quotes:read',
  path: '/v1/quotes/preview',
  summary: 'Preview quotes for all payment methods in one call',
  // Previews are not stored, so a repeat may get a new response.
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

export const createQuoteEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'createQuote',
  beginsPayment: true,
  scope: 'quotes:write',
  path: '/v1/quotes',
  summary: 'Create an executable quote for one payment method',
  requires: RAILS_ENTITLEMENT,
  limits: GLOBAL_TIERS,
  body: CREATE_QUOTE_BODY,
  reply: EXECUTABLE_QUOTE,
  success: 201,
  refusals: [...KEY_REFUSALS, ...PRICE_REFUSALS],
  run: async ({ engine, caller, body, keyed, answer }) => {
    const done = await createQuote(engine, caller, body, keyed(createdQuote));
    return done.map((answered) => answer(answered, createdQuote));
  },
});

/** The quote as created, with status open. */
function createdQuote(quote: ExecutableQuote): JsonText<GateExecutableQuote> {
  return executableQuoteResource(quote, quote.createdAt);
}

export const retrieveQuoteEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveQuote',
  scope: 'quotes:read',
  path: '/v1/quotes/{id}',
  summary: 'Retrieve an executable quote',
  requires: RAILS_ENTITLEMENT,
  limits: GLOBAL_TIERS,
  reply: EXECUTABLE_QUOTE,
  refusals: ['quote_not_found'],
  run: async ({ engine, caller, params }) => {
    const quote = await retrieveQuote(engine, caller.scope, param(params, 'id'));
    return quote.map((found) => executableQuoteResource(found, engine.clock.now(caller.scope)));
  },
});
