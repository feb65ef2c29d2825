import type { Instant, PageRequest, Scope, Session } from '@gateramp/core';
import type { SessionFilter } from '@gateramp/core/ports';
import type { Reading } from './reading.js';
import { parseFirst, parseRow, type RowText } from './row-text.js';
import { sessionPage } from './session-pages.js';

export function sessionReads(reading: Reading, schema: string) {
  const find = `select row::text as row from "${schema}".sessions where partner_id = $1 and mode = $2 and id = $3`;
  return {
    async findSession(scope: Scope, id: string): Promise<Session | null> {
      return parseFirst<Session>(await reading.find<RowText>(find, [scope.partnerId, scope.mode, id]));
    },
    async listSessions(
      scope: Scope,
      filter: SessionFilter,
      page: PageRequest,
      now: Instant,
    ): Promise<readonly Session[]> {
      return (await reading.list<RowText>(sessionPage({ scope, filter, page, now }, schema))).map((row) =>
        parseRow<Session>(row),
      );
    },
  };
}
