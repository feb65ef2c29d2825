import { isoTime, isoTimeOrNull } from '../instant.js';
import { depositMembers, failureMembers, instructionMembers } from '../intent/intent-resource.js';
import { jsonObject, type JsonText, knownAs, type Opaque, type Rendered } from '../json.js';
import { sideMembers } from '../transaction/receipt-resource.js';
import type { RailPayment } from './rail-payment.js';

/** A pay-in on the wire: fiat arrives by bank transfer, crypto goes to the wallet. */
export type GatePayIn = Rendered<typeof payInResource>;

/** A pay-out on the wire: crypto arrives at the deposit address, fiat goes to the beneficiary, whose account is redacted. */
export type GatePayOut = Rendered<typeof payOutResource>;

/** A pay-in or pay-out resource, by the payment's kind. */
export function railResource(payment: RailPayment): JsonText<GatePayIn | GatePayOut> {
  return payment.kind === 'pay_in' ? payInResource(payment) : payOutResource(payment);
}

/** A pay-in as a wire resource. */
export function payInResource(payment: RailPayment) {
  const { instructions } = payment;
  return jsonObject(
    {
      object: 'pay_in',
      ...commonMembers(payment),
      instructions: instructions === null ? null : instructionMembers(instructions),
      wallet_address: payment.walletAddress,
    },
    metadataOf(payment),
  );
}

/** A pay-out as a wire resource. */
export function payOutResource(payment: RailPayment) {
  const { beneficiary, deposit } = payment;
  if (beneficiary === null) throw new Error('A pay-out has a beneficiary.');
  return jsonObject(
    {
      object: 'pay_out',
      ...commonMembers(payment),
      deposit: deposit === null ? null : depositMembers(deposit),
      beneficiary: { type: beneficiary.type, display: beneficiary.display },
      refund_address: payment.refundAddress,
    },
    metadataOf(payment),
  );
}

function commonMembers(payment: RailPayment) {
  return {
    id: payment.id,
    partner_id: payment.partnerId,
    mode: payment.mode,
    status: payment.status,
    quote_id: payment.quoteId,
    flow: payment.flow,
    source: sideMembers(payment.source),
    destination: sideMembers(payment.destination),
    payment_method: payment.paymentMethod,
    failure: failureMembers(payment.failure),
    tx_refid: payment.txRefid,
    user_reference: payment.userReference,
    created_at: isoTime(payment.createdAt),
    updated_at: isoTime(payment.updatedAt),
    completed_at: isoTimeOrNull(payment.completedAt),
  };
}

function metadataOf({ metadata }: RailPayment) {
  return { metadata: knownAs<Opaque>(metadata) };
}
