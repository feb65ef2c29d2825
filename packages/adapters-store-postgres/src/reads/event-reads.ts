import type { Mode, Scope } from '@gateramp/core';
import type { GateEvent, PageRequest } from '@gateramp/core/domain';
import type { EventFilter } from '@gateramp/core/ports';
import { EVENT_COLUMNS, eventPage } from './event-pages.js';
import type { Reading } from './reading.js';

/** `bigint` arrives as text. */
export interface EventRow {
  readonly id: string;
  readonly partner_id: string;
  readonly mode: Mode;
  readonly session_id: string | null;
  readonly sequence: number | null;
  readonly type: string;
  readonly created_at: string;
  readonly body: string;
}

export function eventReads(reading: Reading, schema: string) {
  const find = `select ${EVENT_COLUMNS} from "${schema}".events e where id = $3 and partner_id = $1 and mode = $2`;
  const ofSession = `select ${EVENT_COLUMNS} from "${schema}".events e where session_id = $3 and partner_id = $1 and mode = $2 order by sequence`;
  return {
    async findEvent(scope: Scope, id: string): Promise<GateEvent | null> {
      const [row] = await reading.find<EventRow>(find, [scope.partnerId, scope.mode, id]);
      return row === undefined ? null : eventOf(row);
    },
    async listEvents(scope: Scope, filter: EventFilter, page: PageRequest): Promise<readonly GateEvent[]> {
      return (await reading.list<EventRow>(eventPage({ scope, filter, page }, schema))).map(eventOf);
    },
    async listSessionEvents(scope: Scope, sessionId: string): Promise<readonly GateEvent[]> {
      return (await reading.find<EventRow>(ofSession, [scope.partnerId, scope.mode, sessionId])).map(eventOf);
    },
  };
}

export function eventOf(row: EventRow): GateEvent {
  return {
    id: row.id,
    partnerId: row.partner_id,
    mode: row.mode,
    sessionId: row.session_id,
    sequence: row.sequence,
    type: row.type,
    createdAt: Number(row.created_at),
    body: row.body,
  };
}
