/** The rules themselves, for hosts, adapters and tests. Pure: no clock, no chance, no Node. */
export * from './branding/branding.js';
export * from './capabilities/capabilities.js';
export * from './capabilities/capability-rows.js';
export * from './error-code.js';
export * from './idempotency/idempotency.js';
export * from './instant.js';
export * from './intent/intent.js';
export * from './intent/intent-resource.js';
export * from './json.js';
export * from './keys/api-key.js';
export * from './limits/client-network.js';
export * from './limits/rate-window.js';
export * from './mode.js';
export * as decimal from './money.js';
export type { Decimal } from './money.js';
export * from './origin/origin.js';
export * from './paging/page.js';
export * from './partner/partner.js';
export type { RestrictedLimit, Restrictions } from './partner/restrictions.js';
export * from './policy.js';
export type { Pool } from './pools/pool.js';
export type { PoolBalance } from './pools/pool-trade.js';
export {
  amountOut,
  POOL_SIDES,
  type PoolPrice,
  type PoolQuote,
  type PoolQuoteRequest,
  type PoolSide,
} from './pools/pool-quote.js';
export type * from './pools/pool-resources.js';
export type { PoolTrade, PoolTradeStatus, Settlement } from './pools/pool-trade.js';
export type { AccessTerms } from './pools/pool.js';
export * from './purchase/apply-outcome.js';
export * from './purchase/begin-purchase.js';
export * from './purchase/end-intent.js';
export * from './purchase/outcome.js';
export * from './purchase/purchase.js';
export * from './quota/quota.js';
export * from './quota/quota-resource.js';
export * from './quote/quote.js';
export * from './quote/quote-ask.js';
export * from './quote/offers.js';
export * from './quote/quoted-terms.js';
export * from './rails/begin-rail-payment.js';
export * from './rails/follow-intent.js';
export * from './rails/rail-payment.js';
export * from './rails/rail-resource.js';
export * from './refusal.js';
export * from './session/open-session.js';
export * from './session/session-state.js';
export * from './session/session.js';
export * from './session/session-resource.js';
export * from './session/terms.js';
export * from './task.js';
export * from './text/printable.js';
export * from './timeline.js';
export * from './transaction/receipt-resource.js';
export * from './transaction/refund.js';
export * from './transaction/transaction.js';
export * from './transaction/transaction-resource.js';
export * from './webhook/delivery.js';
export * from './webhook/delivery-resource.js';
export * from './webhook/endpoint.js';
export * from './webhook/event.js';
export * from './webhook/event-types.js';
export * from './webhook/signature.js';
