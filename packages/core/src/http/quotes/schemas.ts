import * as z from 'zod';
import type { ErrorCode } from '../../domain/error-code.js';
import { PAYMENT_METHODS } from '../../domain/intent/intent.js';
import { quotePreviewResource } from '../../domain/quote/offers.js';
import type { PriceRequest } from '../../domain/quote/price-request.js';
import { executableQuoteResource, QUOTE_STATUSES } from '../../domain/quote/quote.js';
import { FLOWS } from '../../domain/session/terms.js';
import { FIXED_QUOTE, PRICE_REQUEST, QUOTE, T0 } from '../examples.js';
import {
  amount,
  country,
  currency,
  fitsItsCurrency,
  network,
  oneOf,
  optional,
  readFields,
  token,
} from '../schema/fields.js';
import { decimal, fee, flow, mode, objectId, paymentMethod, side, time, wireType } from '../schema/members.js';
import { type BodyInput, bodyReadBy } from '../schema/request.js';

export const QUOTE_MEMBERS = {
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
} as const;

const REQUEST_MEMBERS = {
  side: flow,
  currency: z.string(),
  asset: z.string(),
  network: z.string(),
  amount: decimal,
  country_code: z.string(),
} as const;

const REQUEST_EXAMPLE = {
  side: 'on_ramp',
  currency: 'EUR',
  asset: 'USDC',
  network: 'base',
  amount: '101.50',
  country_code: 'DE',
} as const;

export const QUOTE_PREVIEW = wireType(
  'QuotePreview',
  z.object({
    object: z.literal('quote_preview'),
    mode,
    ...REQUEST_MEMBERS,
    rate_fetched_at: time,
    expires_at: time,
    quotes: z.array(z.object(QUOTE_MEMBERS)),
  }),
  {
    description: 'Quotes of all payment methods. Nothing is reserved: preview quote ids cannot be used to pay.',
    example: quotePreviewResource({
      mode: 'test',
      request: PRICE_REQUEST,
      quotes: [{ ...QUOTE, id: 'preview_68a1f0d5c8fa5e204b6d8fa1' }],
      rateFetchedAt: T0,
      expiresAt: QUOTE.expiresAt,
    }),
  },
);

export const EXECUTABLE_QUOTE = wireType(
  'ExecutableQuote',
  z.object({
    ...QUOTE_MEMBERS,
    id: objectId,
    mode,
    ...REQUEST_MEMBERS,
    status: z.enum(QUOTE_STATUSES),
    created_at: time,
  }),
  {
    description: 'A price for one payment method, valid until `expires_at` for one pay-in or pay-out.',
    example: executableQuoteResource(FIXED_QUOTE, T0),
  },
);

const REQUEST_FIELDS = {
  currency,
  asset: token,
  amount,
  side: oneOf(FLOWS),
  country_code: country,
  network: optional(network),
  source_asset: optional(token),
  source_network: optional(network),
} as const;

/** Members that a swap requires and other sides must not have. */
function fitsItsSide(body: RequestFields, refinement: z.RefinementCtx): void {
  const isSwap = body.side === 'swap';
  const refuse = (field: 'source_asset' | 'source_network', code: string, message: string) =>
    refinement.addIssue({ code: 'custom', path: [field], message, params: { code } });
  if (isSwap && (body.source_asset ?? null) === null) refuse('source_asset', 'required', 'is required on a swap');
  if (isSwap) return;
  for (const field of ['source_asset', 'source_network'] as const)
    if ((body[field] ?? null) !== null) refuse(field, 'not_used', `is not used on ${body.side}`);
}

type RequestFields = z.output<z.ZodObject<typeof REQUEST_FIELDS>>;

/** Codes are case-insensitive and echoed in upper case. */
function priceRequestOf(body: RequestFields): PriceRequest {
  return {
    side: body.side,
    currency: body.currency.toUpperCase(),
    asset: body.asset.toUpperCase(),
    network: body.network ?? null,
    sourceAsset: body.source_asset?.toUpperCase() ?? null,
    sourceNetwork: body.source_network ?? null,
    amount: body.amount,
    countryCode: body.country_code.toUpperCase(),
  };
}

const previewSchema = z.strictObject(REQUEST_FIELDS).superRefine(fitsItsSide).superRefine(fitsItsCurrency);

export const PREVIEW_QUOTES_BODY = bodyReadBy('PreviewQuotes', previewSchema, {
  description:
    'The terms to quote. `amount` has at most the decimal places of `currency`. Only a swap has a source asset.',
  example: REQUEST_EXAMPLE,
  read: ({ document }: BodyInput) => readFields(previewSchema, document.value).map(priceRequestOf),
});

const createSchema = z
  .strictObject({ ...REQUEST_FIELDS, payment_method: oneOf(PAYMENT_METHODS) })
  .superRefine(fitsItsSide)
  .superRefine(fitsItsCurrency);

export const CREATE_QUOTE_BODY = bodyReadBy('CreateQuote', createSchema, {
  description: 'The terms to quote, and the payment method that the quote is for.',
  example: { ...REQUEST_EXAMPLE, payment_method: 'bank_transfer' },
  read: ({ document }: BodyInput) =>
    readFields(createSchema, document.value).map((body) => ({
      ...priceRequestOf(body),
      paymentMethod: body.payment_method,
    })),
});

/** Refusals of every request for a price. */
export const PRICE_REFUSALS = [
  'swap_not_enabled',
  'corridor_not_supported',
  'amount_below_minimum',
  'amount_above_maximum',
  'asset_network_mismatch',
  'service_unavailable',
] as const satisfies readonly ErrorCode[];
