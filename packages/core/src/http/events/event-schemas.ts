import * as z from 'zod';
import type { GateEventEnvelope } from '../../domain/webhook/event.js';
import type { EventFilter } from '../../ports/rows.js';
import { documented } from '../schema/documented.js';
import { oneOf, text } from '../schema/fields.js';
import { instant, listQuery } from '../schema/list-query.js';
import { opaque } from '../schema/members.js';
import { wireType } from '../schema/wire-type.js';
import { EVENT_TYPES, EVENTS } from '../webhooks/events.js';

const type = documented(z.string(), { description: `One of ${EVENT_TYPES.join(', ')}.` });

export const EVENT = wireType<GateEventEnvelope>()(
  'Event',
  z.object({
    id: z.uuid(),
    type,
    created_at: z.int(),
    sequence: z.int().nullable(),
    livemode: z.boolean(),
    data: opaque,
    object: z.literal('event'),
  }),
  {
    description: 'An event, as it is delivered. `created_at` is in Unix epoch seconds.',
    example: {
      id: '0b8f8f5e-6d7a-4c39-9f0a-6b1d2f3c4e5a',
      type: 'gate_session.created',
      created_at: 1_893_456_000,
      sequence: 1,
      livemode: false,
      data: EVENTS['gate_session.created'].data.example,
      object: 'event',
    },
  },
);

export const LIST_EVENTS_QUERY = listQuery(
  {
    type: oneOf(EVENT_TYPES).optional(),
    session_id: text(128).optional(),
    created_after: instant.optional(),
    created_before: instant.optional(),
  },
  (query): EventFilter => ({
    type: query.type ?? null,
    sessionId: query.session_id ?? null,
    createdAfter: query.created_after ?? null,
    createdBefore: query.created_before ?? null,
  }),
);
