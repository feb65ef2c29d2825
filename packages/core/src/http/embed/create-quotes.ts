import * as z from 'zod';
import { quoteEmbed, type QuoteEmbed, type Quotes } from '../../application/embed/quote-embed.js';
import { isoTime } from '../../domain/instant.js';
import { toJsonText, type JsonText } from '../../domain/json/json-text.js';
import { quoteMembers } from '../../domain/quote/quote.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint, type BodyInput } from '../endpoint.js';
import { readFields } from '../fields.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';
import { ATTEMPT_FIELDS, attemptOf } from './attempt-fields.js';

const schema = z.strictObject(ATTEMPT_FIELDS);

export const createQuotes = endpoint({
  method: 'POST',
  path: '/v1/embed/quotes',
  summary: 'Quotes for the checkout, one per payment method',
  auth: 'embed',
  limits: perMinute(120),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: 'widget',
  query: noQuery,
  body: ({ document }: BodyInput) =>
    readFields(schema, document.value).map((body) => ({ ...attemptOf(body), walletAddress: null })),
  success: 200,
  errors: {
    amount_mismatch: 400,
    terms_mismatch: 400,
    invalid_embed_token: 401,
    swap_not_enabled: 403,
    session_not_found: 404,
    session_not_open: 409,
    quote_not_found: 404,
    corridor_not_supported: 422,
    amount_below_minimum: 422,
    amount_above_maximum: 422,
    asset_network_mismatch: 422,
    wallet_address_invalid: 422,
    quote_expired: 422,
  },
  run: async ({ engine, caller, body, mode }) => {
    const quotes = await quoteEmbed(engine, caller, body);
    return quotes.map((found) => quotesResource(found, { ...found.attempt, countryCode: body.countryCode, mode }));
  },
});

function quotesResource(
  found: Quotes,
  asked: Pick<QuoteEmbed, 'flow' | 'amount' | 'currency' | 'countryCode'> & { readonly mode: string },
): JsonText {
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
  });
}
