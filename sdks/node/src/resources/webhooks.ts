import { type ListDeliveriesQuery } from '../generated/queries.js';
import { type ReplayDeliveries, type RotateWebhookSecret } from '../generated/requests.js';
import {
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookReplay,
  type WebhookSecret,
  type WebhookTestResult,
} from '../generated/resources.js';
import { path, type CallOptions } from '../http/call.js';
import { type Client } from '../http/client.js';
import { type GatePromise } from '../http/gate-promise.js';
import { type ListPromise } from '../http/page.js';
import { webhooks } from '../webhooks/webhooks.js';
import { byId, Resource } from './resource.js';

/** Verifies and receives webhooks, and manages their endpoint, secret and deliveries. */
export class Webhooks extends Resource {
  readonly deliveries: Deliveries;
  readonly constructEvent = webhooks.constructEvent;
  readonly generateTestHeader = webhooks.generateTestHeader;
  readonly receive = webhooks.receive;

  constructor(client: Client) {
    super(client);
    this.deliveries = new Deliveries(client);
  }

  /** Sends a `webhook.test` event to your endpoint. */
  test(options?: CallOptions): GatePromise<WebhookTestResult> {
    return this.ask({ method: 'POST', path: '/v1/webhooks/test', isKeyed: true }, options);
  }

  /** The configured endpoint and the state of its deliveries. */
  endpoint(options?: CallOptions): GatePromise<WebhookEndpoint> {
    return this.ask({ method: 'GET', path: '/v1/webhooks/endpoint' }, options);
  }

  /** Creates a new signing secret, returned only here. During a grace period, deliveries are also signed with the old one. */
  rotateSecret(body: RotateWebhookSecret = {}, options?: CallOptions): GatePromise<WebhookSecret> {
    return this.ask({ method: 'POST', path: '/portal/webhook-secret/rotate', body, isKeyed: true }, options);
  }
}

/** The log of deliveries to your endpoint. */
class Deliveries extends Resource {
  retrieve(id: string, options?: CallOptions): GatePromise<WebhookDelivery> {
    return this.ask({ method: 'GET', path: path`/v1/webhooks/deliveries/${id}` }, options);
  }

  /** Newest first. */
  list(query: ListDeliveriesQuery = {}, options?: CallOptions): ListPromise<WebhookDelivery> {
    return this.pages<WebhookDelivery>({ method: 'GET', path: '/v1/webhooks/deliveries', query }, options, byId);
  }

  /** Sends a dead-lettered delivery again, with the same event id and bytes. */
  replay(id: string, options?: CallOptions): GatePromise<WebhookDelivery> {
    return this.ask({ method: 'POST', path: path`/v1/webhooks/deliveries/${id}/replay`, isKeyed: true }, options);
  }

  /** Sends all matching dead-lettered deliveries again, oldest first, at most `limit`. */
  replayAll(body: ReplayDeliveries = {}, options?: CallOptions): GatePromise<WebhookReplay> {
    return this.ask({ method: 'POST', path: '/v1/webhooks/deliveries/replay', body, isKeyed: true }, options);
  }
}
