import { err, ok } from 'neverthrow';
import * as z from 'zod';
import type { CreateRailPayment } from '../../application/rails/create-rail-payment.js';
import type { RailFilter } from '../../application/rails/read-rail-payments.js';
import { INTENT_STATUSES } from '../../domain/intent/intent.js';
import type { RailKind } from '../../domain/rails/rail-payment.js';
import { payInResource, payOutResource, railResource } from '../../domain/rails/rail-resource.js';
import { FIXED_QUOTE, PAY_IN_PAYMENT, PAY_OUT_PAYMENT } from '../examples.js';
import { iban, optional, type Read, readFields, text } from '../schema/fields.js';
import { instant, listQuery } from '../schema/lists.js';
import {
  bankTransfer,
  decimal,
  depositPrice,
  failure,
  flow,
  mode,
  objectId,
  opaque,
  partnerId,
  paymentMethod,
  refid,
  side,
  time,
  wireType,
} from '../schema/members.js';
import { type BodyInput, bodyReadBy, metadataField, readMetadata } from '../schema/request.js';

const COMMON_MEMBERS = {
  id: objectId,
  partner_id: partnerId,
  mode,
  status: z.enum(INTENT_STATUSES),
  quote_id: objectId,
  flow,
  source: side,
  destination: side,
  payment_method: paymentMethod.nullable(),
  failure: failure.nullable(),
  tx_refid: refid,
  user_reference: z.string().nullable(),
  created_at: time,
  updated_at: time,
  completed_at: time.nullable(),
  metadata: opaque,
} as const;

export const payInMembers = z.object({
  object: z.literal('pay_in'),
  ...COMMON_MEMBERS,
  instructions: bankTransfer.nullable(),
  wallet_address: z.string().nullable(),
});

export const PAY_IN = wireType('PayIn', payInMembers, {
  description: 'Fiat received by bank transfer, as its `instructions` say, for crypto sent to the wallet.',
  example: payInResource(PAY_IN_PAYMENT),
});

export const payOutMembers = z.object({
  object: z.literal('pay_out'),
  ...COMMON_MEMBERS,
  deposit: z
    .object({
      address: z.string(),
      memo: z.string().nullable(),
      network: z.string(),
      asset: z.string(),
      amount: decimal,
      expires_at: time,
      ...depositPrice,
    })
    .nullable(),
  beneficiary: z.object({ type: z.literal('iban'), display: z.string() }),
  refund_address: z.string().nullable(),
});

export const PAY_OUT = wireType('PayOut', payOutMembers, {
  description: 'Crypto received at the `deposit` address, for fiat paid to the beneficiary.',
  example: payOutResource(PAY_OUT_PAYMENT),
});

const COMMON_FIELDS = {
  quote_id: text(255, 1),
  user_reference: optional(text(128)),
  metadata: metadataField,
} as const;

const address = text(128, 1);

const payIn = z.strictObject({ ...COMMON_FIELDS, wallet_address: address });

const payOut = z.strictObject({
  ...COMMON_FIELDS,
  beneficiary: z.strictObject({ type: z.literal('iban', 'must be iban'), iban, account_holder: text(140, 1) }),
  refund_address: address,
});

const ADDRESS_EXAMPLE = '0x52908400098527886E0F7030069857D2E4169EE7';

const BODY_EXAMPLE = { quote_id: FIXED_QUOTE.id, user_reference: 'order-1001', metadata: { order: 1001 } };

export const CREATE_PAY_IN_BODY = bodyReadBy('CreatePayIn', payIn, {
  description: 'The executable quote of the pay-in, and the wallet that receives the crypto.',
  example: { ...BODY_EXAMPLE, wallet_address: ADDRESS_EXAMPLE },
  read: (input) =>
    readWith(payIn, input, 'pay_in', (body) => ({
      walletAddress: body.wallet_address,
      refundAddress: null,
      payoutDetails: null,
    })),
});

export const CREATE_PAY_OUT_BODY = bodyReadBy('CreatePayOut', payOut, {
  description: 'The executable quote of the pay-out, the beneficiary of the fiat, and the address for returned crypto.',
  example: {
    ...BODY_EXAMPLE,
    beneficiary: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' },
    refund_address: ADDRESS_EXAMPLE,
  },
  read: (input) =>
    readWith(payOut, input, 'pay_out', ({ beneficiary, refund_address }) => ({
      walletAddress: null,
      refundAddress: refund_address,
      payoutDetails: { type: beneficiary.type, iban: beneficiary.iban, accountHolder: beneficiary.account_holder },
    })),
});

type Common = z.output<z.ZodObject<typeof COMMON_FIELDS>>;

/** Reads the common fields and those of the kind. */
function readWith<Body extends Common>(
  schema: z.ZodType<Body>,
  input: BodyInput,
  kind: RailKind,
  own: (body: Body) => Pick<CreateRailPayment, 'walletAddress' | 'refundAddress' | 'payoutDetails'>,
): Read<CreateRailPayment> {
  const fields = readFields(schema, input.document.value);
  const { text: metadata, errors } = readMetadata(input);
  if (fields.isErr()) return err([...fields.error, ...errors]);
  if (errors.length > 0) return err(errors);
  const { quote_id: quoteId, user_reference: userReference } = fields.value;
  return ok({ kind, quoteId, userReference: userReference ?? null, metadata, ...own(fields.value) });
}

export const LIST_RAILS_QUERY = listQuery(
  { created_after: instant.optional(), created_before: instant.optional() },
  (query): RailFilter => ({
    createdAfter: query.created_after ?? null,
    createdBefore: query.created_before ?? null,
  }),
);

/** A pay-in or a pay-out. */
export const RAIL_PAYMENT = wireType('RailPayment', z.discriminatedUnion('object', [payInMembers, payOutMembers]), {
  description: 'A pay-in or a pay-out, by its `object`.',
  example: railResource(PAY_IN_PAYMENT),
});
