import type { Instant } from '../instant.js';
import { toJsonText } from '../json.js';
import type { PaymentMethod } from './intent.js';

/** A payment method that a buyer has asked a provider to keep: what may be shown of it, and nothing that pays. */
export interface SavedMethod {
  /** The provider's own id of it. */
  readonly id: string;
  readonly type: Extract<PaymentMethod, 'card'>;
  /** In lower case, such as `visa`. */
  readonly brand: string;
  readonly last4: string;
  /** 1 to 12. The card is valid through the last moment of this month, in UTC. */
  readonly expiryMonth: number;
  /** Four digits. */
  readonly expiryYear: number;
  /** Whether the buyer must enter the security code again. */
  readonly requiresCvc: boolean;
}

function isExpired({ expiryMonth, expiryYear }: SavedMethod, now: Instant): boolean {
  return now >= Date.UTC(expiryYear, expiryMonth, 1);
}

/** A saved payment method on the wire; `id` is the one that the checkout knows it by. */
export function savedMethodResource(method: SavedMethod, now: Instant) {
  return toJsonText({
    object: 'saved_payment_method',
    id: method.id,
    type: method.type,
    brand: method.brand,
    last4: method.last4,
    expiry_month: method.expiryMonth,
    expiry_year: method.expiryYear,
    expired: isExpired(method, now),
    cvc_required: method.requiresCvc,
  });
}
