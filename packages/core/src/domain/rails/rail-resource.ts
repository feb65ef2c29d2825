import { isoTime, isoTimeOrNull } from '../instant.js';
import type { IntentStatus, PaymentMethod } from '../intent/intent.js';
import {
  depositMembers,
  failureMembers,
  instructionMembers,
  type GateDeposit,
  type GateFailure,
  type GateInstructions,
} from '../intent/intent-resource.js';
import { jsonObject, type JsonText, knownAs, type Opaque } from '../json.js';
import type { Mode } from '../mode.js';
import type { Flow } from '../session/terms.js';
import { sideMembers, type GateSide } from '../transaction/transaction-resource.js';
import type { RailPayment } from './rail-payment.js';

/** What pay-ins and pay-outs have in common on the wire. */
export type GateRailPayment = {
  readonly id: string;
  readonly partner_id: string;
  readonly mode: Mode;
  readonly status: IntentStatus;
  readonly quote_id: string;
  readonly flow: Flow;
  readonly source: GateSide;
  readonly destination: GateSide;
  readonly payment_method: PaymentMethod | null;
  readonly failure: GateFailure | null;
  readonly tx_refid: string;
  readonly user_reference: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  readonly metadata: Opaque;
};

/** A pay-in on the wire: fiat comes by bank transfer, crypto goes to the wallet. */
export type GatePayIn = GateRailPayment & {
  readonly object: 'pay_in';
  readonly instructions: GateInstructions | null;
  readonly wallet_address: string | null;
};

/** A pay-out on the wire: crypto comes to the deposit, fiat goes to the beneficiary, of whom no more is shown than tells them apart. */
export type GatePayOut = GateRailPayment & {
  readonly object: 'pay_out';
  readonly deposit: GateDeposit | null;
  readonly beneficiary: GateBeneficiary;
  readonly refund_address: string | null;
};

/** Who is paid, as far as it is shown. */
export type GateBeneficiary = { readonly type: 'iban'; readonly display: string };

/** As whichever of the two it is. */
export function railResource(payment: RailPayment): JsonText<GatePayIn | GatePayOut> {
  return payment.kind === 'pay_in' ? payInResource(payment) : payOutResource(payment);
}

/** A pay-in as its partner sees it. */
export function payInResource(payment: RailPayment): JsonText<GatePayIn> {
  const { instructions } = payment;
  return jsonObject(
    {
      object: 'pay_in',
      ...commonMembers(payment),
      instructions: instructions === null ? null : instructionMembers(instructions),
      wallet_address: payment.walletAddress,
    } satisfies Omit<GatePayIn, 'metadata'>,
    metadataOf(payment),
  );
}

/** A pay-out as its partner sees it. */
export function payOutResource(payment: RailPayment): JsonText<GatePayOut> {
  const { beneficiary, deposit } = payment;
  if (beneficiary === null) throw new Error('A pay-out has a beneficiary.');
  return jsonObject(
    {
      object: 'pay_out',
      ...commonMembers(payment),
      deposit: deposit === null ? null : depositMembers(deposit),
      beneficiary: { type: beneficiary.type, display: beneficiary.display },
      refund_address: payment.refundAddress,
    } satisfies Omit<GatePayOut, 'metadata'>,
    metadataOf(payment),
  );
}

function commonMembers(payment: RailPayment): Omit<GateRailPayment, 'metadata'> {
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
