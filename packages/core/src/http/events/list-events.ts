import { listEvents } from '../../application/events/list-events.js';
import { eventResource } from '../../domain/webhook/event.js';
import { endpoint } from '../endpoint.js';
import { SECRET_READ } from '../presets.js';
import { listEnvelope, listOf } from '../schema/list-envelope.js';
import { EVENT, LIST_EVENTS_QUERY } from './event-schemas.js';

export const EVENTS_PATH = '/v1/events';

export const listEventsEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listEvents',
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
