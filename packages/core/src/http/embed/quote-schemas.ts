import * as z from 'zod';
import type { ErrorCode } from '../../domain/error-code.js';
import type { GateQuote } from '../../domain/quote/quote.js';
import { jsonBody } from '../schema/body.js';
import { decimal, fee, flow, mode, paymentMethod, side, time } from '../schema/members.js';
import { wireType } from '../schema/wire-type.js';
import { ATTEMPT_EXAMPLE, ATTEMPT_FIELDS, attemptOf } from './attempt-fields.js';
import type { EmbedQuotes } from './quotes-resource.js';

const quoteMembers = z.object({
  object: z.literal('quote'),
  id: z.string(),
  payment_method: paymentMethod,
  available: z.boolean(),
  unavailable_reason: z.string().nullable(),
  source: side,
  destination: side,
  exchange_rate: decimal,
  source_subtotal: decimal,
  source_total: decimal,
  fees: z.array(fee),
  fee_total: decimal,
  limits: z.object({ min_amount: decimal, max_amount: decimal, currency: z.string() }),
  estimated_settlement_seconds: z.int(),
  expires_at: time,
});

/** What one payment method would give. */
export const QUOTE = wireType<GateQuote>()('Quote', quoteMembers, {
  object: 'quote',
  id: 'quo_7tYx2',
  payment_method: 'card',
  available: true,
  unavailable_reason: null,
  source: { amount: '101.50', currency: 'EUR', network: null },
  destination: { amount: '108.12', currency: 'USDC', network: 'base' },
  exchange_rate: '1.08120000000000000',
  source_subtotal: '100.00',
  source_total: '101.50',
  fees: [{ type: 'processing', amount: '1.50', currency: 'EUR' }],
  fee_total: '1.50',
  limits: { min_amount: '10.00', max_amount: '5000.00', currency: 'EUR' },
  estimated_settlement_seconds: 60,
  expires_at: '2030-01-01T12:05:00.000Z',
});

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
    quotes: z.array(quoteMembers),
  }),
  {
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
);

export const CREATE_QUOTES_BODY = jsonBody('CreateEmbedQuotes', z.strictObject(ATTEMPT_FIELDS), {
  example: ATTEMPT_EXAMPLE,
  to: (body) => ({ ...attemptOf(body), walletAddress: null }),
});

/** What asking a provider for a price may refuse. */
export const QUOTE_REFUSALS = [
  'amount_mismatch',
  'terms_mismatch',
  'invalid_embed_token',
  'swap_not_enabled',
  'session_not_found',
  'session_not_open',
  'quote_not_found',
  'corridor_not_supported',
  'amount_below_minimum',
  'amount_above_maximum',
  'asset_network_mismatch',
  'wallet_address_invalid',
  'quote_expired',
] as const satisfies readonly ErrorCode[];
