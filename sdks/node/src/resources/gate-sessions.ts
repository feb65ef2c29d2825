import { type CreatedGateSession, type GateSession, type TimelineEntry } from '../generated/resources.js';
import { type ListSessionsQuery } from '../generated/queries.js';
import { type CreateGateSession } from '../generated/requests.js';
import { path, type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { type ListPromise } from '../http/page.js';
import { byId, onePage, Resource } from './resource.js';

/** Sessions: one buy, sell or swap of one end user each. */
export class GateSessions extends Resource {
  /** Opens a session. `client_secret` is returned only here: pass it to the browser. */
  create(body: CreateGateSession, options?: CallOptions): GatePromise<CreatedGateSession> {
    return this.ask({ method: 'POST', path: '/v1/gate_sessions', body, isKeyed: true }, options);
  }

  retrieve(id: string, options?: CallOptions): GatePromise<GateSession> {
    return this.ask({ method: 'GET', path: path`/v1/gate_sessions/${id}` }, options);
  }

  /** Newest first. */
  list(query: ListSessionsQuery = {}, options?: CallOptions): ListPromise<GateSession> {
    return this.pages<GateSession>({ method: 'GET', path: '/v1/gate_sessions', query }, options, byId);
  }

  /**
   * Cancels an open session. Throws ConflictError `session_not_open` if it has ended, `session_processing` while its money may be moving. A
   * cancel takes no idempotency key: if its response was lost and the retry finds the session cancelled, that session is returned.
   */
  cancel(id: string, options?: CallOptions): GatePromise<GateSession> {
    return this.ask({ method: 'POST', path: path`/v1/gate_sessions/${id}/cancel` }, options, async ({ code }) => {
      if (code !== 'session_not_open') return null;
      const found = await this.retrieve(id, options).withResponse();
      return found.data.status === 'cancelled' ? found : null;
    });
  }

  /** The history of the session, oldest first: transitions, attempts, refusals, events and deliveries. */
  timeline(id: string, options?: CallOptions): ListPromise<TimelineEntry> {
    return this.pages<TimelineEntry>({ method: 'GET', path: path`/v1/gate_sessions/${id}/timeline` }, options, onePage);
  }
}
