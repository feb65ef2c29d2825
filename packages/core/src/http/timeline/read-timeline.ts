import { readTimeline } from '../../application/timeline/read-timeline.js';
import { timelineEntryResource } from '../../domain/timeline/timeline.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { SECRET_READ } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { listEnvelope, listOf } from '../schema/list-envelope.js';
import { TIMELINE_ENTRY } from './timeline-schemas.js';

export const TIMELINE_PATH = '/v1/gate_sessions/{id}/timeline';

export const readTimelineEndpoint = endpoint({
  ...SECRET_READ,
  name: 'readTimeline',
  path: TIMELINE_PATH,
  summary: 'List the timeline of a session, oldest first',
  limits: GLOBAL_TIERS,
  reply: listOf(TIMELINE_ENTRY, '/v1/gate_sessions/68a1f0c2b7e94d1f3a5c7e90/timeline'),
  refusals: ['session_not_found'],
  run: async ({ engine, caller, params, path }) => {
    const entries = await readTimeline(engine, caller.scope, param(params, 'id'));
    return entries.map((items) => listEnvelope({ items, hasMore: false }, path, timelineEntryResource));
  },
});
