import { err, ok } from 'neverthrow';
import * as z from 'zod';
import type { CreateRailPayment } from '../../application/rails/create-rail-payment.js';
import type { RailFilter } from '../../application/rails/read-rail-payments.js';
import { INTENT_STATUSES } from '../../domain/intent/intent.js';
import type { RailKind } from '../../domain/rails/rail-payment.js';
import type { GatePayIn, GatePayOut } from '../../domain/rails/rail-resource.js';
import { iban, optional, type Read, readFields, text } from '../schema/fields.js';
import { instant, listQuery } from '../schema/lists.js';
import {
  bankTransfer,
  decimal,
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

const COMMON_EXAMPLE = {
  id: '68a1f0d5c8fa5e204b6d8fa1',
  partner_id: 'prt_acme',
  mode: 'test',
  status: 'requires_action',
  quote_id: '68a1f0c2b7e94d1f3a5c7e90',
  payment_method: 'bank_transfer',
  failure: null,
  tx_refid: 'gtx_4fQ9bTzW1kLmX7cVn2Rs',
  user_reference: 'order-1001',
  created_at: '2030-01-01T12:04:00.000Z',
  updated_at: '2030-01-01T12:04:00.000Z',
  completed_at: null,
  metadata: { order: 1001 },
} as const;

const FIAT = { amount: '100.00', currency: 'EUR', network: null } as const;
const CRYPTO = { amount: '107.554347', currency: 'USDC', network: 'base' } as const;

export const payInMembers = z.object({
  object: z.literal('pay_in'),
  ...COMMON_MEMBERS,
  instructions: bankTransfer.nullable(),
  wallet_address: z.string().nullable(),
});

export const PAY_IN = wireType<GatePayIn>()('PayIn', payInMembers, {
  description: 'Fiat received by bank transfer, as its `instructions` say, for crypto sent to the wallet.',
  example: {
    object: 'pay_in',
    ...COMMON_EXAMPLE,
    flow: 'on_ramp',
    source: FIAT,
    destination: CRYPTO,
    instructions: {
      type: 'bank_transfer',
      iban: 'DE02120300000000202051',
      bic: 'BYLADEM1001',
      account_holder: 'Example Payments',
      reference: 'GATE4FQ9BTZW1KLM',
      amount: '100.00',
      currency: 'EUR',
      expires_at: '2030-01-02T12:04:00.000Z',
    },
    wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
  },
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
    })
    .nullable(),
  beneficiary: z.object({ type: z.literal('iban'), display: z.string() }),
  refund_address: z.string().nullable(),
});

export const PAY_OUT = wireType<GatePayOut>()('PayOut', payOutMembers, {
  description: 'Crypto received at the `deposit` address, for fiat paid to the beneficiary.',
  example: {
    object: 'pay_out',
    ...COMMON_EXAMPLE,
    flow: 'off_ramp',
    source: CRYPTO,
    destination: FIAT,
    deposit: {
      address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
      memo: null,
      network: 'base',
      asset: 'USDC',
      amount: '107.554347',
      expires_at: '2030-01-01T12:34:00.000Z',
    },
    beneficiary: { type: 'iban', display: 'DE••3000' },
    refund_address: '0x52908400098527886E0F7030069857D2E4169EE7',
  },
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

const BODY_EXAMPLE = { quote_id: COMMON_EXAMPLE.quote_id, user_reference: 'order-1001', metadata: { order: 1001 } };

/** What a pay-in may be made of. */
export type CreateGatePayIn = z.input<typeof payIn>;

/** What a pay-out may be made of. */
export type CreateGatePayOut = z.input<typeof payOut>;

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

/** The fields both have, and what is the one's own. */
function readWith<Body extends Common>(
  schema: z.ZodType<Body>,
  input: BodyInput,
  kind: RailKind,
  own: (body: Body) => Pick<CreateRailPayment, 'walletAddress' | 'refundAddress' | 'payoutDetails'>,
): Read<CreateRailPayment> {
  const fields = readFields(schema, input.document.value);
  const { text: metadata, faults } = readMetadata(input);
  if (fields.isErr()) return err([...fields.error, ...faults]);
  if (faults.length > 0) return err(faults);
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
