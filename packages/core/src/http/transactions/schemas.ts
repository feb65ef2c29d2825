import * as z from 'zod';
import { STAGES } from '../../domain/intent/intent.js';
import { FLOWS } from '../../domain/session/terms.js';
import type { RefundRequest } from '../../domain/transaction/refund.js';
import { transactionResource } from '../../domain/transaction/transaction-resource.js';
import {
  DISPUTE_STATUSES,
  REFUND_STATUSES,
  STAGE_STATUSES,
  TRANSACTION_STATUSES,
} from '../../domain/transaction/transaction.js';
import type { TransactionFilter } from '../../ports/rows.js';
import { REFUNDED } from '../examples.js';
import { amount, oneOf, optional, text } from '../schema/fields.js';
import { instant, listQuery } from '../schema/lists.js';
import {
  decimal,
  failure,
  fee,
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
import { jsonBody } from '../schema/request.js';

export const stage = z.object({
  type: z.enum(STAGES),
  status: z.enum(STAGE_STATUSES),
  failure_code: z.string().nullable(),
  updated_at: time,
});

const confirmations = z.object({ seen: z.int().min(0), required: z.int().min(0) });

/** The money of a transaction, which is also part of an intent. */
export const receipt = z.object({
  refid,
  status: z.enum(TRANSACTION_STATUSES),
  source: side,
  destination: side,
  exchange_rate: decimal.nullable(),
  fees: z.array(fee),
  fee_total: decimal.nullable(),
  tx_hash: z.string().nullable(),
  tx_url: z.string().nullable(),
  confirmations: confirmations.nullable(),
  completed_at: time.nullable(),
});

const refund = z.object({
  object: z.literal('refund'),
  id: objectId,
  amount: decimal,
  currency: z.string().nullable(),
  status: z.enum(REFUND_STATUSES),
  reason: z.string().nullable(),
  failure: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).nullable(),
  returned_at: time.nullable(),
  created_at: time,
  updated_at: time,
});

const dispute = z.object({
  object: z.literal('dispute'),
  id: z.string(),
  amount: decimal,
  currency: z.string().nullable(),
  status: z.enum(DISPUTE_STATUSES),
  created_at: time,
  updated_at: time,
});

export const TRANSACTION = wireType(
  'Transaction',
  z.object({
    id: refid,
    object: z.literal('transaction'),
    refid,
    session_id: objectId.nullable(),
    intent_id: objectId,
    partner_id: partnerId,
    mode,
    flow,
    status: z.enum(TRANSACTION_STATUSES),
    source: side,
    destination: side,
    exchange_rate: decimal.nullable(),
    fees: z.array(fee),
    fee_total: decimal.nullable(),
    payment_method: paymentMethod.nullable(),
    country_code: z.string().nullable(),
    wallet_address: z.string().nullable(),
    tx_hash: z.string().nullable(),
    tx_url: z.string().nullable(),
    confirmations: confirmations.nullable(),
    user_reference: z.string().nullable(),
    stages: z.array(stage),
    failure: failure.nullable(),
    settled_after_close: z.boolean(),
    amount_refunded: decimal.nullable(),
    amount_returned: decimal.nullable(),
    refunds: z.array(refund),
    disputes: z.array(dispute),
    created_at: time,
    updated_at: time,
    completed_at: time.nullable(),
    metadata: opaque,
  }),
  {
    description: 'The payment of one attempt, by its `refid`. Amounts and rates are decimal strings, null until known.',
    example: transactionResource(REFUNDED),
  },
);

const REASON_LENGTH_MAX = 500;

const refundFields = z.strictObject({
  amount: optional(amount),
  reason: optional(text(REASON_LENGTH_MAX)),
});

export const REFUND_TRANSACTION_BODY = jsonBody('RefundGateTransaction', refundFields, {
  description: 'The amount of a completed transaction to refund; by default the remaining amount.',
  example: { amount: '20.00', reason: 'Damaged item' },
  to: (fields): RefundRequest => ({ amount: fields.amount ?? null, reason: fields.reason ?? null }),
});

export const LIST_TRANSACTIONS_QUERY = listQuery(
  {
    status: oneOf(TRANSACTION_STATUSES).optional(),
    flow: oneOf(FLOWS).optional(),
    session_id: text(128).optional(),
    user_reference: text(128).optional(),
    created_after: instant.optional(),
    created_before: instant.optional(),
  },
  (query): TransactionFilter => ({
    status: query.status ?? null,
    flow: query.flow ?? null,
    sessionId: query.session_id ?? null,
    userReference: query.user_reference ?? null,
    createdAfter: query.created_after ?? null,
    createdBefore: query.created_before ?? null,
  }),
);
