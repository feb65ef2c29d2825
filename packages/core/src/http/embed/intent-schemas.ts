import * as z from 'zod';
import type { GivenPaymentDetails } from '../../application/intents/check-attempt.js';
import type { CreateIntent } from '../../application/intents/create-intent.js';
import { PAYOUT_TYPES, type PayoutType } from '../../domain/intent/attempt-fields.js';
import { DOCUMENT_SIDES } from '../../domain/intent/identity-document.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { INTENT_STATUSES, PAYMENT_METHODS } from '../../domain/intent/intent.js';
import { FLOWS } from '../../domain/session/terms.js';
import type { Confirmation, PayoutDetails } from '../../ports/provider.js';
import { WAITING } from '../examples.js';
import {
  accountNumber,
  amount,
  country,
  currency,
  iban,
  isCalendarDay,
  network,
  oneOf,
  optional,
  pattern,
  routingNumber,
  text,
  token,
} from '../schema/fields.js';
import {
  bankTransfer,
  decimal,
  depositPrice,
  failure,
  flow,
  objectId,
  paymentMethod,
  refid,
  time,
  wireType,
} from '../schema/members.js';
import { jsonBody } from '../schema/request.js';
import { receipt, stage } from '../transactions/schemas.js';

/** Fields shared by quotes and intents of the checkout (`docs/spec-notes.md`, embed calls). */
export const ATTEMPT_FIELDS = {
  flow: oneOf(FLOWS),
  amount,
  currency,
  source_token: optional(token),
  source_network: optional(network),
  target_token: optional(token),
  target_network: optional(network),
  payment_method: optional(oneOf(PAYMENT_METHODS)),
  country_code: optional(country),
} as const;

/** The shared fields in the application's names. */
export function attemptOf(body: z.output<z.ZodObject<typeof ATTEMPT_FIELDS>>) {
  return {
    flow: body.flow,
    amount: body.amount,
    currency: body.currency.toUpperCase(),
    sourceToken: body.source_token ?? null,
    sourceNetwork: body.source_network ?? null,
    targetToken: body.target_token ?? null,
    targetNetwork: body.target_network ?? null,
    paymentMethod: body.payment_method ?? null,
    countryCode: body.country_code?.toUpperCase() ?? null,
  };
}

export const ATTEMPT_EXAMPLE = {
  flow: 'on_ramp',
  amount: '100.00',
  currency: 'EUR',
  target_token: 'USDC',
  target_network: 'base',
  country_code: 'DE',
} as const;

const documentSide = z.enum(DOCUMENT_SIDES);

const nextAction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('kyc'),
    level: z.string(),
    fields: z.array(z.string()),
    documents: z.array(documentSide).exactOptional(),
    received: z.array(documentSide).exactOptional(),
    in_review: z.boolean().exactOptional(),
  }),
  z.object({
    type: z.literal('payment_authentication'),
    challenge: z.literal('otp'),
    destination: z.string(),
  }),
  z.object({
    type: z.literal('crypto_deposit'),
    address: z.string(),
    memo: z.string().nullable(),
    network: z.string(),
    asset: z.string(),
    amount: decimal,
    expires_at: time,
    ...depositPrice,
  }),
  bankTransfer,
  z.object({ type: z.literal('redirect'), url: z.string(), expires_at: time }),
  z.object({
    type: z.literal('provider_component'),
    provider: z.string(),
    public_key: z.string(),
    client_secret: z.string(),
    expires_at: time,
  }),
]);

/** An attempt, as the API shows it. */
export const GATE_INTENT = wireType(
  'GateIntent',
  z.object({
    id: objectId,
    object: z.literal('gate_intent'),
    session_id: objectId,
    flow,
    status: z.enum(INTENT_STATUSES),
    amount: decimal,
    currency: z.string(),
    source_token: z.string().nullable(),
    source_network: z.string().nullable(),
    target_token: z.string().nullable(),
    target_network: z.string().nullable(),
    wallet_address: z.string().nullable(),
    payment_method: paymentMethod.nullable(),
    quote_id: z.string().nullable(),
    next_action: nextAction.nullable(),
    failure: failure.nullable(),
    attempt: z.int().min(1),
    tx_refid: refid,
    created_at: time,
    updated_at: time,
    expires_at: time.nullable(),
    code_resend_at: time.nullable(),
    stages: z.array(stage).nullable(),
    transaction: receipt.nullable(),
  }),
  {
    description: 'One attempt to pay for a session. `next_action` is the next step of the buyer, or null.',
    example: intentResource(WAITING.intent, WAITING.transaction),
  },
);

const card = {
  card_number: pattern(/^[0-9]{12,19}$/, 'must be 12 to 19 digits'),
  expiry: pattern(/^(0[1-9]|1[0-2])\/[0-9]{2}$/, 'must be MM/YY'),
  cvc: pattern(/^[0-9]{3,4}$/, 'must be 3 or 4 digits'),
} as const;
/** Kinds of payment details: their required members, optional members, and name in error messages. */
const DETAIL_KINDS = {
  card: { needs: ['card_number', 'expiry', 'cvc'], takes: ['save'], as: 'a card' },
  token: { needs: ['provider', 'token'], takes: [], as: 'a token' },
  saved: { needs: ['saved_method'], takes: ['cvc'], as: 'a saved payment method' },
} as const;

/** A single object instead of a union, so that errors name each wrong member. */
const paymentDetails = z
  .strictObject({
    card_number: card.card_number.optional(),
    expiry: card.expiry.optional(),
    cvc: card.cvc.optional(),
    save: z.boolean('must be true or false').optional(),
    provider: text(60, 1).optional(),
    token: text(2000, 1).optional(),
    saved_method: text(255, 1).optional(),
  })
  .superRefine((details, refinement) => {
    const isToken = details.token !== undefined || details.provider !== undefined;
    const { needs, takes, as } =
      DETAIL_KINDS[isToken ? 'token' : details.saved_method === undefined ? 'card' : 'saved'];
    const refuse = (field: string, code: string, message: string) =>
      refinement.addIssue({ code: 'custom', path: [field], message, params: { code } });
    for (const field of needs) if (details[field] === undefined) refuse(field, 'required', 'is required');
    const used: readonly string[] = [...needs, ...takes];
    for (const [field, value] of Object.entries(details))
      if (value !== undefined && !used.includes(field)) refuse(field, 'not_used', `is not used with ${as}; omit it`);
  });

/** The members that identify each type of account, in addition to its holder. */
const ACCOUNT_FIELDS = {
  ach: ['routing_number', 'account_number'],
  iban: ['iban'],
} as const satisfies Record<PayoutType, readonly string[]>;

/** A single object instead of a union, so that errors name each wrong member. */
const payoutDetails = z
  .strictObject({
    type: oneOf(PAYOUT_TYPES),
    iban: iban.optional(),
    routing_number: routingNumber.optional(),
    account_number: accountNumber.optional(),
    account_holder: text(140, 1),
  })
  .superRefine((details, refinement) => {
    const used: readonly string[] = ACCOUNT_FIELDS[details.type];
    const refuse = (field: string, code: string, message: string) =>
      refinement.addIssue({ code: 'custom', path: [field], message, params: { code } });
    for (const field of Object.values(ACCOUNT_FIELDS).flat()) {
      const isGiven = details[field] !== undefined;
      if (used.includes(field) && !isGiven) refuse(field, 'required', 'is required');
      if (!used.includes(field) && isGiven) refuse(field, 'not_used', `is not used by ${details.type}; omit it`);
    }
  });

export const CREATE_INTENT_BODY = jsonBody(
  'CreateGateIntent',
  z.strictObject({
    ...ATTEMPT_FIELDS,
    quote_id: optional(text(255, 1)),
    wallet_address: optional(text(128, 1)),
    refund_address: optional(text(128, 1)),
    payout_details: optional(payoutDetails),
    payment_details: optional(paymentDetails),
  }),
  {
    description: 'Parameters of the attempt. They must match the terms of the session.',
    example: {
      ...ATTEMPT_EXAMPLE,
      payment_method: 'card',
      wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
      payment_details: { card_number: '4242424242424242', expiry: '12/49', cvc: '123' },
    },
    to: (body): CreateIntent => ({
      ...attemptOf(body),
      walletAddress: body.wallet_address ?? null,
      refundAddress: body.refund_address ?? null,
      quoteId: body.quote_id ?? null,
      paymentDetails: paymentDetailsOf(body.payment_details ?? null),
      payoutDetails: payoutDetailsOf(body.payout_details ?? null),
    }),
  },
);

function paymentDetailsOf(details: z.infer<typeof paymentDetails> | null): GivenPaymentDetails | null {
  if (details === null) return null;
  const { card_number: cardNumber, expiry, cvc, save, provider, token: given, saved_method: savedMethod } = details;
  if (provider !== undefined && given !== undefined) return { provider, token: given };
  if (savedMethod !== undefined) return { savedMethod, cvc: cvc ?? null };
  if (cardNumber !== undefined && expiry !== undefined && cvc !== undefined)
    return { cardNumber, expiry, cvc, save: save ?? false };
  throw new Error('Parsed payment details name neither a card, a token nor a saved payment method.');
}

function payoutDetailsOf(details: z.infer<typeof payoutDetails> | null): PayoutDetails | null {
  if (details === null) return null;
  const { account_holder: accountHolder, iban: number, routing_number: bank, account_number: account } = details;
  if (number !== undefined) return { type: 'iban', iban: number, accountHolder };
  if (bank !== undefined && account !== undefined)
    return { type: 'ach', routingNumber: bank, accountNumber: account, accountHolder };
  throw new Error('Parsed payout details name no account.');
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The intent's action decides which members are required (`identityFieldErrors`); at least one must be sent. */
const kyc = z
  .strictObject({
    first_name: text(100, 1).optional(),
    last_name: text(100, 1).optional(),
    date_of_birth: pattern(DAY, 'must be YYYY-MM-DD')
      .refine((day) => !DAY.test(day) || isCalendarDay(day), 'must be a valid calendar date')
      .optional(),
    document_number: text(100, 1).optional(),
    documents: z.literal('submitted', { error: 'must be submitted' }).optional(),
  })
  .refine((given) => Object.keys(given).length > 0, 'must have the fields that the intent requires');

export const CONFIRM_INTENT_BODY = jsonBody(
  'ConfirmGateIntent',
  z.discriminatedUnion(
    'action',
    [
      z.strictObject({ action: z.literal('kyc'), kyc }),
      z.strictObject({ action: z.literal('payment_authentication'), code: text(20, 1) }),
      z.strictObject({ action: z.literal('send_code') }),
      z.strictObject({ action: z.literal('crypto_deposit') }),
      z.strictObject({ action: z.literal('redirect') }),
      z.strictObject({ action: z.literal('provider_component') }),
    ],
    { error: 'must be kyc, payment_authentication, send_code, crypto_deposit, redirect or provider_component' },
  ),
  {
    description: 'The data that the `next_action` of the intent requires.',
    example: { action: 'payment_authentication', code: '000000' },
    to: (body): Confirmation => {
      if (body.action !== 'kyc') return body;
      return {
        action: 'kyc',
        kyc: {
          firstName: body.kyc.first_name ?? null,
          lastName: body.kyc.last_name ?? null,
          dateOfBirth: body.kyc.date_of_birth ?? null,
          documentNumber: body.kyc.document_number ?? null,
          ...(body.kyc.documents === undefined ? {} : { documents: body.kyc.documents }),
        },
      };
    },
  },
);
