import type { RailKind, RailPayment } from '../../domain/rails/rail-payment.js';
import type { DocumentKind } from '../documents/document-kind.js';

/** Pay-ins and pay-outs are kept permanently, like sessions. */
export const RAIL_KINDS: Readonly<Record<RailKind, DocumentKind<RailPayment>>> = {
  pay_in: { noun: 'pay_in' },
  pay_out: { noun: 'pay_out' },
};
