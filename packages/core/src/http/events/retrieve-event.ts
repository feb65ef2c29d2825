import { retrieveEvent } from '../../application/events/retrieve-event.js';
import { eventResource } from '../../domain/webhook/event.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { SECRET_READ } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { EVENT } from './event-schemas.js';

export const retrieveEventEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveEvent',
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
