import * as z from 'zod';
import { UNAVAILABLE_REASONS } from '../../application/embed/bootstrap.js';
import { UNSERVED_CODES, UNSERVED_TERMS } from '../../domain/capabilities/serves-terms.js';
import type { ErrorCode } from '../../domain/error-code.js';
import { HOUR } from '../../domain/instant.js';
import { savedMethodResource } from '../../domain/intent/saved-method.js';
import { SESSION_STATUSES } from '../../domain/session/session.js';
import { brandingMembers } from '../branding/schemas.js';
import { component, unavailableMarkets } from '../capabilities/schemas.js';
import { CAPABILITIES, PARTNER, QUOTE, T0 } from '../examples.js';
import { PRICE_REFUSALS, QUOTE_MEMBERS } from '../quotes/schemas.js';
import { EXAMPLE_OPENED } from '../sessions/schemas.js';
import { country, optional, text } from '../schema/fields.js';
import { decimal, flow, mode, objectId, partnerId, paymentMethod, time, wireType } from '../schema/members.js';
import { jsonBody } from '../schema/request.js';
import { ATTEMPT_EXAMPLE, ATTEMPT_FIELDS, attemptOf } from './intent-schemas.js';
import { bootstrapResource, embedSession, quotesResource, removedMethodResource } from './resources.js';

const checkoutSession = {
  id: objectId,
  status: z.enum(SESSION_STATUSES),
  amount: decimal,
  currency: z.string(),
  target_token: z.string().nullable(),
  target_network: z.string().nullable(),
  wallet_address: z.string().nullable(),
  return_url: z.string(),
  cancel_url: z.string().nullable(),
  expires_at: time,
} as const;

const partner = z.object({ id: partnerId, display_name: z.string() });
const capabilities = z.object({
  flows: z.array(flow),
  payment_methods: z.array(paymentMethod),
  savable_payment_methods: z.array(paymentMethod),
  currencies: z.array(z.object({ code: z.string(), decimals: z.int(), flows: z.array(flow) })),
  assets: z.array(
    z.object({
      code: z.string(),
      networks: z.array(z.string()),
      flows: z.array(flow),
      unavailable: unavailableMarkets,
    }),
  ),
  components: z.array(component.extend({ payment_method: paymentMethod })),
});

/** The offer of the example session's checkout. */
const OFFERED = {
  session: EXAMPLE_OPENED.session,
  partner: PARTNER,
  ...CAPABILITIES,
  unavailable: [],
  paymentMethods: ['card', 'bank_transfer'],
} as const;

export const EMBED_SESSION = wireType(
  'EmbedSession',
  z.object({
    ...checkoutSession,
    object: z.literal('embed_session'),
    flow: flow.nullable(),
    mode,
    intent_id: objectId.nullable(),
    settled_intent_id: objectId.nullable(),
    partner,
    capabilities,
  }),
  {
    description: 'The session of an embed token, with the intent to resume if one is live.',
    example: embedSession({ ...OFFERED, settledIntentId: null }),
  },
);

export const EMBED_BOOTSTRAP = wireType(
  'EmbedBootstrap',
  z.object({
    object: z.literal('embed_bootstrap'),
    available: z.boolean(),
    unavailable_reason: z.enum(UNAVAILABLE_REASONS).nullable(),
    unavailable_detail: z
      .object({
        term: z.enum(UNSERVED_TERMS),
        code: z.enum(UNSERVED_CODES),
        value: z.string(),
        currency: z.string().nullable(),
        min_amount: decimal.nullable(),
        max_amount: decimal.nullable(),
        decimals: z.int().nullable(),
      })
      .nullable(),
    mode,
    embed_token: z.string(),
    expires_at: time,
    expires_in: z.int(),
    flow: flow.nullable(),
    partner,
    session: z.object(checkoutSession).nullable(),
    capabilities,
    branding: brandingMembers.nullable(),
  }),
  {
    description: 'Everything a checkout needs to start: its embed token, the session, capabilities and branding.',
    example: bootstrapResource({
      ...OFFERED,
      mode: 'test',
      unavailableReason: null,
      unserved: null,
      embedToken: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImdhdGUtZW1iZWQrand0In0.e30.c2lnbmF0dXJl',
      issuedAt: T0,
      expiresAt: T0 + HOUR,
      branding: null,
    }),
  },
);

export const BOOTSTRAP_BODY = jsonBody(
  'Bootstrap',
  z.strictObject({ clientSecret: optional(text(200)), country_code: optional(country) }),
  {
    description: 'The client secret of the session to open, if any, and the country of the buyer, if known.',
    example: { clientSecret: 'gsec_68a1f0c2b7e94d1f3a5c7e90_n7Wq2LxVb0Rf5TzKcY8uMhE3aJdG6sP1' },
    to: (body) => ({ clientSecret: body.clientSecret ?? null, countryCode: body.country_code?.toUpperCase() ?? null }),
  },
);

/** Starts with a digest of the provider's name; the rest is the provider's own id. */
const savedMethodId = z.string();

export const EMBED_QUOTES = wireType(
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
    quotes: z.array(
      z.object({ ...QUOTE_MEMBERS, saved_method: savedMethodId.nullable(), provider: z.string().nullable() }),
    ),
  }),
  {
    description: 'One quote per payment method for the terms of the checkout. Amounts and rates are decimal strings.',
    example: quotesResource(
      { quotes: [{ ...QUOTE, savedMethod: null, provider: null }], rateFetchedAt: T0, expiresAt: QUOTE.expiresAt },
      { ...OFFERED.session.terms, flow: 'on_ramp', countryCode: 'DE', mode: 'test' },
    ),
  },
);

export const CREATE_QUOTES_BODY = jsonBody(
  'CreateEmbedQuotes',
  z.strictObject({ ...ATTEMPT_FIELDS, saved_method: optional(text(255, 1)), provider: optional(text(60, 1)) }),
  {
    description: 'The terms to quote. They must match the terms of the session, if the token has one.',
    example: ATTEMPT_EXAMPLE,
    to: (body) => ({
      ...attemptOf(body),
      walletAddress: null,
      savedMethod: body.saved_method ?? null,
      provider: body.provider ?? null,
    }),
  },
);

/** Refusals of requests for checkout quotes. */
export const QUOTE_REFUSALS = [
  ...PRICE_REFUSALS,
  'amount_mismatch',
  'terms_mismatch',
  'invalid_embed_token',
  'session_not_found',
  'session_not_open',
  'partner_suspended',
] as const satisfies readonly ErrorCode[];

const EXAMPLE_SAVED = {
  id: '9f2c51d07ab4.pm_1Qz8Lx',
  type: 'card',
  brand: 'visa',
  last4: '4242',
  expiryMonth: 12,
  expiryYear: 2049,
  requiresCvc: false,
} as const;

export const SAVED_METHOD = wireType(
  'SavedPaymentMethod',
  z.object({
    object: z.literal('saved_payment_method'),
    id: savedMethodId,
    type: z.literal('card'),
    brand: z.string(),
    last4: z.string().regex(/^\d{4}$/),
    expiry_month: z.int().min(1).max(12),
    expiry_year: z.int(),
    expired: z.boolean(),
    cvc_required: z.boolean(),
  }),
  {
    description: 'A payment method that the buyer has saved. Its id can be used only in checkouts of this buyer.',
    example: savedMethodResource(EXAMPLE_SAVED, T0),
  },
);

export const REMOVED_METHOD = wireType(
  'RemovedPaymentMethod',
  z.object({ object: z.literal('saved_payment_method'), id: savedMethodId, removed: z.literal(true) }),
  {
    description: 'A removed payment method, which can no longer be used.',
    example: removedMethodResource(EXAMPLE_SAVED.id),
  },
);
