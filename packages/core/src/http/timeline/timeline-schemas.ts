import * as z from 'zod';
import { TIMELINE_KINDS, type GateTimelineEntry } from '../../domain/timeline/timeline.js';
import { opaque, time } from '../schema/members.js';
import { wireType } from '../schema/wire-type.js';

export const TIMELINE_ENTRY = wireType<GateTimelineEntry>()(
  'TimelineEntry',
  z.object({
    object: z.literal('timeline_entry'),
    at: time,
    kind: z.enum(TIMELINE_KINDS),
    request_id: z.string().nullable(),
    summary: z.string(),
    data: opaque,
  }),
  {
    description: 'A change of a session, or a refused request about it.',
    example: {
      object: 'timeline_entry',
      at: '2030-01-01T12:00:00.000Z',
      kind: 'transition',
      request_id: null,
      summary: 'The session is open',
      data: { from: null, to: 'open' },
    },
  },
);
