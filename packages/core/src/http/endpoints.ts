import { CAPABILITY_ENDPOINTS } from './capabilities/list-capabilities.js';
import type { AnyEndpoint } from './endpoint.js';
import { retrieveBrandingEndpoint } from './branding/retrieve-branding.js';
import { updateBrandingEndpoint } from './branding/update-branding.js';
import { bootstrapEndpoint } from './embed/bootstrap.js';
import { cancelIntentEndpoint } from './embed/cancel-intent.js';
import { confirmIntentEndpoint } from './embed/confirm-intent.js';
import { createIntentEndpoint } from './embed/create-intent.js';
import { createQuotesEndpoint } from './embed/create-quotes.js';
import { readEmbedSessionEndpoint } from './embed/read-embed-session.js';
import { readIntentEndpoint } from './embed/read-intent.js';
import { listEventsEndpoint } from './events/list-events.js';
import { retrieveEventEndpoint } from './events/retrieve-event.js';
import { healthEndpoint } from './health.js';
import { listPoolsEndpoint } from './pools/list-pools.js';
import { listTradesEndpoint } from './pools/list-trades.js';
import { quotePoolEndpoint } from './pools/quote-pool.js';
import { readBalanceEndpoint } from './pools/read-balance.js';
import { transactPoolEndpoint } from './pools/transact-pool.js';
import { providerCallbackEndpoint } from './providers/provider-callback.js';
import { createQuoteEndpoint } from './quotes/create-quote.js';
import { previewQuotesEndpoint } from './quotes/preview-quotes.js';
import { retrieveQuoteEndpoint } from './quotes/retrieve-quote.js';
import { cancelSessionEndpoint } from './sessions/cancel-session.js';
import { createSessionEndpoint } from './sessions/create-session.js';
import { listSessionsEndpoint } from './sessions/list-sessions.js';
import { retrieveSessionEndpoint } from './sessions/retrieve-session.js';
import { RAIL_ENDPOINTS } from './rails/rail-endpoints.js';
import { simulateRailsEndpoint } from './rails/simulate-rails.js';
import { advanceClockEndpoint } from './test-helpers/advance-clock.js';
import { readClockEndpoint } from './test-helpers/read-clock.js';
import { simulateEndpoint } from './test-helpers/simulate.js';
import { readTimelineEndpoint } from './timeline/read-timeline.js';
import { findTransactionEndpoint } from './transactions/find-transaction.js';
import { listTransactionsEndpoint } from './transactions/list-transactions.js';
import { refundTransactionEndpoint } from './transactions/refund-transaction.js';
import { listDeliveriesEndpoint } from './webhooks/list-deliveries.js';
import { replayDeliveriesEndpoint } from './webhooks/replay-deliveries.js';
import { replayDeliveryEndpoint } from './webhooks/replay-delivery.js';
import { retrieveDeliveryEndpoint } from './webhooks/retrieve-delivery.js';
import { retrieveEndpointEndpoint } from './webhooks/retrieve-endpoint.js';
import { rotateSecretEndpoint } from './webhooks/rotate-secret.js';
import { testWebhookEndpoint } from './webhooks/test-webhook.js';

/** The endpoint table: a new endpoint is one line here. */
export const ENDPOINTS: readonly AnyEndpoint[] = [
  createSessionEndpoint,
  listSessionsEndpoint,
  retrieveSessionEndpoint,
  cancelSessionEndpoint,
  readTimelineEndpoint,
  bootstrapEndpoint,
  readEmbedSessionEndpoint,
  createQuotesEndpoint,
  createIntentEndpoint,
  readIntentEndpoint,
  confirmIntentEndpoint,
  cancelIntentEndpoint,
  listTransactionsEndpoint,
  findTransactionEndpoint,
  refundTransactionEndpoint,
  previewQuotesEndpoint,
  createQuoteEndpoint,
  retrieveQuoteEndpoint,
  ...CAPABILITY_ENDPOINTS,
  listEventsEndpoint,
  retrieveEventEndpoint,
  retrieveBrandingEndpoint,
  updateBrandingEndpoint,
  testWebhookEndpoint,
  listDeliveriesEndpoint,
  retrieveDeliveryEndpoint,
  replayDeliveriesEndpoint,
  replayDeliveryEndpoint,
  rotateSecretEndpoint,
  retrieveEndpointEndpoint,
  ...RAIL_ENDPOINTS,
  listPoolsEndpoint,
  quotePoolEndpoint,
  transactPoolEndpoint,
  readBalanceEndpoint,
  listTradesEndpoint,
  providerCallbackEndpoint,
  readClockEndpoint,
  advanceClockEndpoint,
  simulateEndpoint,
  simulateRailsEndpoint,
  healthEndpoint,
];

/** Routes that exist only where there is a test clock; elsewhere they are as unknown as any other path. */
export const CLOCK_ENDPOINTS: readonly AnyEndpoint[] = [readClockEndpoint, advanceClockEndpoint];
