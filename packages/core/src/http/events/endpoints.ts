import { listEvents, retrieveEvent } from '../../application/events.js';
import { eventResource } from '../../domain/webhook/event.js';
import { endpoint } from '../endpoint.js';
import { param } from '../pipeline/router.js';
import { GLOBAL_TIERS, SECRET_READ } from '../presets.js';
import { listEnvelope, listOf } from '../schema/lists.js';
import { EVENT, LIST_EVENTS_QUERY } from './schemas.js';

const EVENTS_PATH = '/v1/events';

export const listEventsEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listEvents',
  scope: 'events:read',
  path: EVENTS_PATH,
  summary: 'List events, newest first, whether they were delivered or not',
  query: LIST_EVENTS_QUERY,
  reply: listOf(EVENT, EVENTS_PATH),
  refusals: ['event_not_found'],
  run: async ({ engine, caller, query, path }) => {
    const page = await listEvents(engine, caller.scope, query.filter, query.page);
    return page.map((found) => listEnvelope(found, path, eventResource));
  },
});

export const retrieveEventEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveEvent',
  scope: 'events:read',
  path: '/v1/events/{id}',
  summary: 'Retrieve an event as it is delivered',
  limits: GLOBAL_TIERS,
  reply: EVENT,
  refusals: ['event_not_found'],
  run: async ({ engine, caller, params }) => {
    const event = await retrieveEvent(engine, caller.scope, param(params, 'id'));
    return event.map(eventResource);
  },
});
