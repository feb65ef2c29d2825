import type { Instant } from '../instant.js';
import { toJsonText } from '../json.js';
import type { PaymentMethod } from './intent.js';

/** A payment method that a provider stores for a buyer. Holds display data only, nothing that can be used to pay. */
export interface SavedMethod {
  /** The provider's id. */
  readonly id: string;
  readonly type: Extract<PaymentMethod, 'card'>;
  /** Lower case, such as `visa`. */
  readonly brand: string;
  readonly last4: string;
  /** 1 to 12. The card is valid until the end of this month, UTC. */
  readonly expiryMonth: number;
  /** Four digits. */
  readonly expiryYear: number;
  /** Whether the buyer must enter the security code again. */
  readonly requiresCvc: boolean;
}

function isExpired({ expiryMonth, expiryYear }: SavedMethod, now: Instant): boolean {
  return now >= Date.UTC(expiryYear, expiryMonth, 1);
}

/** The wire resource of a saved payment method; `id` is the one given to the checkout. */
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
