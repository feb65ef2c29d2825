import type { Instant, PageRequest, Scope, Session } from '@gateramp/core';
import type { SessionFilter } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { PageQuery } from './page-query.js';
import { parseFirst, parseRow, type RowText } from './row-text.js';

export function sessionReads(database: Database, schema: string) {
  const find = `select row::text as row from "${schema}".sessions where partner_id = $1 and mode = $2 and id = $3`;
  return {
    async findSession(scope: Scope, id: string): Promise<Session | null> {
      return parseFirst<Session>(await database.query<RowText>(find, [scope.partnerId, scope.mode, id]));
    },
    async listSessions(scope: Scope, filter: SessionFilter, page: PageRequest, now: Instant): Promise<readonly Session[]> {
      const query = new PageQuery('s', scope, page)
        .where('s.flow = ?', filter.flow)
        .where('s.currency = ?', filter.currency)
        .where('s.user_reference = ?', filter.userReference)
        .withinIds(filter);
      whereStatus(query, filter, now);
      const rows = await database.query<RowText>(`select s.row::text as row from "${schema}".sessions s ${query.clauses}`, query.values);
      return rows.map((row) => parseRow<Session>(row));
    },
  };
}

/** The effective status: an overdue session that is not held counts as expired before anybody has expired it. */
function whereStatus(query: PageQuery, { status }: SessionFilter, now: Instant): void {
  switch (status) {
    case null:
      return;
    case 'open':
      query.where(`s.status = 'open' and (s.is_held or s.expires_at >= ?)`, now);
      return;
    case 'expired':
      query.where(`(s.status = 'expired' or (s.status = 'open' and not s.is_held and s.expires_at < ?))`, now);
      return;
    case 'completed':
    case 'cancelled':
      // The words themselves, so that the index of closed sessions is seen to hold them.
      query.where(`s.status = ? and s.status <> 'open'`, status);
  }
}
