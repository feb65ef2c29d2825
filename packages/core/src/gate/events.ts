import { err, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { listEvents } from '../application/events/list-events.js';
import { retrieveEvent } from '../application/events/retrieve-event.js';
import type { Scope } from '../domain/mode.js';
import { eventResource, type GateEventEnvelope } from '../domain/webhook/event.js';
import type { EventType } from '../domain/webhook/event-types.js';
import { LIST_EVENTS_QUERY } from '../http/events/event-schemas.js';
import { EVENTS_PATH } from '../http/events/list-events.js';
import { listEnvelope, type List } from '../http/schema/list-envelope.js';
import { idOf } from '../http/schema/list-query.js';
import { parsed, readGivenQuery } from './given.js';
import type { GateRefusal } from './resources.js';

/** Names and rules of the query of `GET /v1/events`. */
export interface ListEvents {
  readonly type?: EventType;
  readonly session_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
}

/** What has happened, for hosts that call in process: every event, whether it was delivered or not. */
export interface Events {
  /** A page, newest first. */
  list(caller: Scope, query?: ListEvents): Promise<Result<List<GateEventEnvelope>, GateRefusal>>;
  retrieve(caller: Scope, id: string): Promise<Result<GateEventEnvelope, GateRefusal>>;
}

export function inProcessEvents(engine: Engine): Events {
  return {
    list: async (caller, given = {}) => {
      const query = readGivenQuery(engine, LIST_EVENTS_QUERY, { ...given });
      if (query.isErr()) return err(query.error);
      const page = await listEvents(engine, caller, query.value.filter, query.value.page);
      return page.map((found) => parsed(listEnvelope(found, EVENTS_PATH, eventResource)));
    },
    retrieve: async (caller, id) =>
      (await retrieveEvent(engine, caller, idOf(id))).map((event) => parsed(eventResource(event))),
  };
}
