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
  /** Where browsers reach the shop; on the partner's list of origins. */
  readonly origin: string;
  /** Of the API in test mode. */
  readonly apiBaseUrl: string;
  /** Origin of the hosted checkout in test mode. */
  readonly checkoutUrl: string;
  /** Of the partner whose shop this is. Null: it has none, sells nothing, and shows the webhooks that it is sent. */
  readonly keys: { readonly secret: string; readonly publishable: string } | null;
  /** Signatures made with one of these are genuine. */
  readonly webhookSecrets: readonly string[];
  /** Receives what went wrong; the buyer reads only that something did. */
  readonly onError?: (error: unknown) => void;
}

export interface DemoShop {
  readonly listener: RequestListener;
  /** Ends the streams to its pages, which would otherwise never end. */
  close(): void;
}

const BODY_BYTES_MAX = 1 << 20;
const CALL_TIMEOUT_MS = 10_000;

/**
 * A partner's whole shop, independent of the reference server: it holds a secret key, calls the API over HTTP through the Node SDK, and
 * believes nothing but webhooks whose signature fits.
 */
export async function demoShop(options: DemoShopOptions): Promise<DemoShop> {
  const { origin, apiBaseUrl, checkoutUrl, keys, webhookSecrets, onError = () => undefined } = options;
  const received = new ReceivedWebhooks(webhookSecrets);
  const streams = new WebhookStreams(received);
  // A buyer waits: better answered at once that it was too much than after the minute that a retry may take.
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
  const onSettled = (sessionId: string, txRefid: string): void => {
    selling?.orders.settled(sessionId, txRefid).catch(onError);
  };
  await app.register(webhookRoutes({ received, streams, onSettled }));
  await app.register(orderRoutes({ selling, origin, onError }));
  await app.ready();
  return {
    listener: (request, response) => app.routing(request, response),
    close: () => streams.end(),
  };
}
