/** How the engine moves purchases: for extensions that move them too, such as the test helpers of `@gateramp/extensions/sandbox`. */
export {
  type Audience,
  joinEvents,
  loadAudience,
  purchaseEvents,
  sessionEvents,
  updated,
} from '../application/commit/row-writes.js';
export { RAIL_KINDS } from '../application/documents/document-kind.js';
export type { EmbedToken } from '../application/embed/embed-token.js';
export {
  CUSTOMERS,
  CUSTOMERS_ID,
  customerOf,
  customerSince,
  hasCustomer,
  keepsMethods,
  type SandboxCustomers,
} from '../application/embed/saved-methods.js';
export { commitOutcome, updateOf } from '../application/intents/commit-outcome.js';
export { confirmIntent, type ConfirmIntentRefusal } from '../application/intents/confirm-intent.js';
export { createIntent, type CreateIntentRefusal } from '../application/intents/create-intent.js';
export { findPayment, renderIntent, withSealedSecret } from '../application/intents/read-intents.js';
export { findProvider, providerNamed } from '../application/providers/route-provider.js';
export { quoteKind } from '../application/quotes/create-quote.js';
export { PAYMENT_ANSWERS } from '../application/rails/create-rail-payment.js';
export { cancelSession, type CancelSessionRefusal } from '../application/sessions/cancel-session.js';
export { loadSession, sessionNotFound } from '../application/sessions/read-sessions.js';

export { railResource } from '../domain/rails/rail-resource.js';

export { INTENT_REFUSALS } from '../http/embed/endpoints.js';
export { GATE_INTENT } from '../http/embed/intent-schemas.js';
export { RAILS_ENTITLEMENT } from '../http/presets.js';
export { RAIL_PAYMENT } from '../http/rails/schemas.js';
