import * as z from 'zod';
import type { ErrorCode } from '../../domain/error-code.js';
import { PRICE_REFUSALS, QUOTE, QUOTE_MEMBERS } from '../quotes/quote-schemas.js';
import { jsonBody } from '../schema/body.js';
import { decimal, flow, mode, time } from '../schema/members.js';
import { wireType } from '../schema/wire-type.js';
import { ATTEMPT_EXAMPLE, ATTEMPT_FIELDS, attemptOf } from './attempt-fields.js';
import type { EmbedQuotes } from './quotes-resource.js';

export const EMBED_QUOTES = wireType<EmbedQuotes>()(
  'EmbedQuotes',
  z.object({
    object: z.literal('embed_quotes'),
    mode,
    flow,
    amount: decimal,
    currency: z.string(),
    country_code: z.string().nullable(),
    rate_fetched_at: time,
    expires_at: time,
    quotes: z.array(z.object(QUOTE_MEMBERS)),
  }),
  {
    description: 'One quote per payment method for the terms of the checkout. Amounts and rates are decimal strings.',
    example: {
      object: 'embed_quotes',
      mode: 'test',
      flow: 'on_ramp',
      amount: '100.00',
      currency: 'EUR',
      country_code: 'DE',
      rate_fetched_at: '2030-01-01T12:04:00.000Z',
      expires_at: '2030-01-01T12:05:00.000Z',
      quotes: [QUOTE.example],
    },
  },
);

export const CREATE_QUOTES_BODY = jsonBody('CreateEmbedQuotes', z.strictObject(ATTEMPT_FIELDS), {
  description: 'The terms to quote. They must match the terms of the session, if the token has one.',
  example: ATTEMPT_EXAMPLE,
  to: (body) => ({ ...attemptOf(body), walletAddress: null }),
});

/** What asking for quotes of a checkout may refuse. */
export const QUOTE_REFUSALS = [
  ...PRICE_REFUSALS,
  'amount_mismatch',
  'terms_mismatch',
  'invalid_embed_token',
  'session_not_found',
  'session_not_open',
] as const satisfies readonly ErrorCode[];
