import type { RequestListener } from 'node:http';
import { fastify } from 'fastify';
import { Gate } from '@gateramp/sdk-node';
import { abilities } from './abilities.js';
import { look } from './look.js';
import { orderRoutes } from './orders/order-routes.js';
import { orders } from './orders/orders.js';
import { pageRoutes } from './page-routes.js';
import { readPageFiles } from './page-files.js';
import { securityHeaders } from './security-headers.js';
import { ReceivedWebhooks } from './webhooks/received-webhooks.js';
import { webhookRoutes } from './webhooks/webhook-routes.js';
import { WebhookStreams } from './webhooks/webhook-streams.js';

export interface DemoShopOptions {
  /** The origin at which browsers reach the shop. It must be among the partner's allowed origins. */
  readonly origin: string;
  /** The base URL of the API in test mode. */
  readonly apiBaseUrl: string;
  /** The origin of the hosted checkout in test mode. */
  readonly checkoutUrl: string;
  /** The partner's API keys. With null the shop sells nothing and only shows the webhooks that it receives. */
  readonly keys: { readonly secret: string; readonly publishable: string } | null;
  /** The webhook secrets. A signature made with any of them is valid. */
  readonly webhookSecrets: readonly string[];
  /** Called with errors. The buyer sees the API's error, or a generic message for other errors. */
  readonly onError?: (error: unknown) => void;
}

export interface DemoShop {
  readonly listener: RequestListener;
  /** Ends the event streams to open pages, which would otherwise stay open. */
  close(): void;
}

const BODY_BYTES_MAX = 1 << 20;
const CALL_TIMEOUT_MS = 10_000;

/**
 * A partner's complete shop, independent of the reference server. It holds a secret key, calls the API over HTTP through the Node SDK, and
 * trusts only webhooks with a valid signature.
 */
export async function demoShop(options: DemoShopOptions): Promise<DemoShop> {
  const { origin, apiBaseUrl, checkoutUrl, keys, webhookSecrets, onError = () => undefined } = options;
  const received = new ReceivedWebhooks(webhookSecrets);
  const streams = new WebhookStreams(received);
  // No retries: a waiting buyer should get an error at once, not after the minute that a retry may take.
  const gate =
    keys === null ? null : new Gate(keys.secret, { baseUrl: apiBaseUrl, timeoutMs: CALL_TIMEOUT_MS, maxRetries: 0 });

  const app = fastify({ bodyLimit: BODY_BYTES_MAX, forceCloseConnections: true });
  const headers = securityHeaders({ api: apiBaseUrl, checkout: checkoutUrl });
  app.addHook('onSend', async (_request, reply) => void reply.headers(headers));
  app.get('/config', async () => ({
    publishableKey: keys?.publishable ?? null,
    apiBaseUrl,
    iframeUrl: checkoutUrl,
    abilities: gate === null ? null : await abilities(gate),
  }));
  await app.register(pageRoutes(readPageFiles()));
  const selling = gate === null ? null : { orders: orders(gate), dress: look(gate, onError) };
  await app.register(webhookRoutes({ received, streams }));
  await app.register(orderRoutes({ selling, origin, onError }));
  await app.ready();
  return {
    listener: (request, response) => app.routing(request, response),
    close: () => streams.end(),
  };
}
