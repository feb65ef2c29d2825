import type { Mode, Scope } from '@gateramp/core';
import type { GateEvent, PageRequest } from '@gateramp/core/domain';
import type { EventFilter, Listers } from '@gateramp/core/ports';
import { EVENT_COLUMNS, eventPage } from './event-pages.js';
import type { Reading, ReadsOf } from './reading.js';

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

interface EventReads extends ReadsOf<'event'> {
  readonly ofSession: Listers['session_event'];
}

export function eventReads(reading: Reading, schema: string): EventReads {
  // The collation keeps to the indexes of ids and of sessions: that of lists begins with the partner, in the other.
  const found = (by: string): string =>
    `select ${EVENT_COLUMNS} from "${schema}".events e where ${by} = $3 and partner_id collate "POSIX" = $1 and mode = $2`;
  const one = found('id');
  const all = `${found('session_id')} order by sequence`;
  return {
    async find(scope: Scope, id: string): Promise<GateEvent | null> {
      const [row] = await reading.find<EventRow>(one, [scope.partnerId, scope.mode, id]);
      return row === undefined ? null : eventOf(row);
    },
    async list(scope: Scope, filter: EventFilter, page: PageRequest): Promise<readonly GateEvent[]> {
      return (await reading.list<EventRow>(eventPage({ scope, filter, page }, schema))).map(eventOf);
    },
    async ofSession(scope: Scope, sessionId: string): Promise<readonly GateEvent[]> {
      return (await reading.find<EventRow>(all, [scope.partnerId, scope.mode, sessionId])).map(eventOf);
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
