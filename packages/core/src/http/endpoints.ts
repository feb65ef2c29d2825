import { CAPABILITY_ENDPOINTS } from './capabilities/endpoints.js';
import type { AnyEndpoint } from './endpoint.js';
import { retrieveBrandingEndpoint, updateBrandingEndpoint } from './branding/endpoints.js';
import {
  bootstrapEndpoint,
  cancelIntentEndpoint,
  confirmIntentEndpoint,
  createIntentEndpoint,
  createQuotesEndpoint,
  readEmbedSessionEndpoint,
  readIntentEndpoint,
} from './embed/endpoints.js';
import { listEventsEndpoint, retrieveEventEndpoint } from './events/endpoints.js';
import { healthEndpoint } from './health.js';
import {
  listPoolsEndpoint,
  listTradesEndpoint,
  quotePoolEndpoint,
  readBalanceEndpoint,
  transactPoolEndpoint,
} from './pools/endpoints.js';
import { providerCallbackEndpoint } from './providers/endpoints.js';
import { createQuoteEndpoint, previewQuotesEndpoint, retrieveQuoteEndpoint } from './quotes/endpoints.js';
import {
  cancelSessionEndpoint,
  createSessionEndpoint,
  listSessionsEndpoint,
  readTimelineEndpoint,
  retrieveSessionEndpoint,
} from './sessions/endpoints.js';
import { payInEndpoints, payOutEndpoints, simulateRailsEndpoint } from './rails/endpoints.js';
import { advanceClockEndpoint, readClockEndpoint, simulateEndpoint } from './test-helpers/endpoints.js';
import {
  findTransactionEndpoint,
  listTransactionsEndpoint,
  refundTransactionEndpoint,
} from './transactions/endpoints.js';
import {
  listDeliveriesEndpoint,
  replayDeliveriesEndpoint,
  replayDeliveryEndpoint,
  retrieveDeliveryEndpoint,
  retrieveEndpointEndpoint,
  rotateSecretEndpoint,
  testWebhookEndpoint,
} from './webhooks/endpoints.js';

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
  ...Object.values(CAPABILITY_ENDPOINTS),
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
  ...Object.values(payInEndpoints),
  ...Object.values(payOutEndpoints),
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
