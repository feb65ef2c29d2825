import { ok } from 'neverthrow';
import * as z from 'zod';
import { toJsonText } from '../domain/json.js';
import type { Mode } from '../domain/mode.js';
import { CAPABILITY_ENDPOINTS } from './capabilities/endpoints.js';
import { type AnyEndpoint, endpoint } from './endpoint.js';
import { retrieveBrandingEndpoint, updateBrandingEndpoint } from './branding/endpoints.js';
import { VERSION } from './version.js';
import {
  bootstrapEndpoint,
  cancelEmbedSessionEndpoint,
  cancelIntentEndpoint,
  confirmIntentEndpoint,
  createIntentEndpoint,
  createQuotesEndpoint,
  listSavedMethodsEndpoint,
  removeSavedMethodEndpoint,
  retrieveEmbedSessionEndpoint,
  retrieveIntentEndpoint,
  uploadDocumentEndpoint,
} from './embed/endpoints.js';
import { listEventsEndpoint, retrieveEventEndpoint } from './events/endpoints.js';
import { ALL_HOSTS, CHECKOUT_HOSTS, type Host, TEST_HOST } from './hosts.js';
import { PUBLIC_READ } from './presets.js';
import { providerCallbackEndpoint } from './providers/endpoints.js';
import { createQuoteEndpoint, previewQuotesEndpoint, retrieveQuoteEndpoint } from './quotes/endpoints.js';
import { mode, wireType } from './schema/members.js';
import {
  cancelSessionEndpoint,
  createSessionEndpoint,
  listSessionsEndpoint,
  listTimelineEndpoint,
  retrieveSessionEndpoint,
} from './sessions/endpoints.js';
import { payInEndpoints, payOutEndpoints } from './rails/endpoints.js';
import { retrieveTransactionEndpoint, listTransactionsEndpoint } from './transactions/endpoints.js';
import {
  listDeliveriesEndpoint,
  replayDeliveriesEndpoint,
  replayDeliveryEndpoint,
  retrieveDeliveryEndpoint,
  retrieveWebhookEndpointEndpoint,
  rotateWebhookSecretEndpoint,
  testWebhookEndpoint,
} from './webhooks/endpoints.js';

function healthResource(mode: Mode, version: string = VERSION) {
  return toJsonText({ object: 'health', status: 'ok', mode, version });
}

const HEALTH_FIELDS = { object: z.literal('health'), status: z.literal('ok'), mode, version: z.string() };

const HEALTH = wireType('Health', z.object(HEALTH_FIELDS), {
  description: 'The service is up, in this mode.',
  // Constant, so that a release does not change the document.
  example: healthResource('test', '1.0.0'),
});

const healthEndpoint = endpoint({
  ...PUBLIC_READ,
  hosts: ALL_HOSTS,
  name: 'health',
  path: '/health',
  summary: 'Health probe, never throttled',
  reply: HEALTH,
  refusals: [],
  run: ({ mode }) => Promise.resolve(ok(healthResource(mode))),
});

/** The endpoint table; a new endpoint is one line here. */
const FIRST: readonly AnyEndpoint[] = [
  createSessionEndpoint,
  listSessionsEndpoint,
  retrieveSessionEndpoint,
  cancelSessionEndpoint,
  listTimelineEndpoint,
  bootstrapEndpoint,
  retrieveEmbedSessionEndpoint,
  cancelEmbedSessionEndpoint,
  createQuotesEndpoint,
  createIntentEndpoint,
  retrieveIntentEndpoint,
  uploadDocumentEndpoint,
  confirmIntentEndpoint,
  cancelIntentEndpoint,
  listSavedMethodsEndpoint,
  removeSavedMethodEndpoint,
  listTransactionsEndpoint,
  retrieveTransactionEndpoint,
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
  rotateWebhookSecretEndpoint,
  retrieveWebhookEndpointEndpoint,
  ...Object.values(payInEndpoints),
  ...Object.values(payOutEndpoints),
];

/** What is served, and where. */
export interface Routes {
  readonly endpoints: readonly AnyEndpoint[];
  readonly hosts: readonly Host[];
}

/** What the engine serves together with extensions. */
export function routesOf(extensions: readonly Partial<Routes>[]): Routes {
  const added = extensions.flatMap(({ endpoints = [] }) => endpoints);
  const [products, tools] = [added.filter((one) => !isOfTests(one)), added.filter(isOfTests)];
  return {
    // What is for providers, tests and probes is listed last.
    endpoints: [...FIRST, ...products, providerCallbackEndpoint, ...tools, healthEndpoint],
    hosts: [...CHECKOUT_HOSTS, ...extensions.flatMap(({ hosts = [] }) => hosts)],
  };
}

/** What the engine serves by itself. */
export const ENGINE_ROUTES = routesOf([]);

function isOfTests({ hosts }: AnyEndpoint): boolean {
  return hosts === TEST_HOST;
}
