import { type ListEventsQuery } from '../generated/queries.js';
import { path, type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { type ListPromise } from '../http/page.js';
import { type WebhookEvent } from '../types/webhook-event.js';
import { byId, Resource } from './resource.js';

/** An event as it is delivered, retrieved from the API. */
export type GateEvent = WebhookEvent & { readonly object: 'event' };

/** All events, delivered or not. */
export class Events extends Resource {
  retrieve(id: string, options?: CallOptions): GatePromise<GateEvent> {
    return this.ask({ method: 'GET', path: path`/v1/events/${id}` }, options);
  }

  /** Newest first; iterating with `ending_before` ascends in time, from the event after that one. */
  list(query: ListEventsQuery = {}, options?: CallOptions): ListPromise<GateEvent> {
    return this.pages({ method: 'GET', path: '/v1/events', query }, options, byId);
  }
}
