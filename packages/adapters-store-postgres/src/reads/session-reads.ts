import type { Instant, PageRequest, Scope, Session } from '@gateramp/core';
import type { SessionFilter } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { PageQuery } from './page-query.js';
import { expiredPage, ID_BY_SPAN, openPage } from './pages-by-span.js';
import { parseFirst, parseRow, type RowText } from './row-text.js';

export function sessionReads(database: Database, schema: string) {
  const find = `select row::text as row from "${schema}".sessions where partner_id = $1 and mode = $2 and id = $3`;
  return {
    async findSession(scope: Scope, id: string): Promise<Session | null> {
      return parseFirst<Session>(await database.query<RowText>(find, [scope.partnerId, scope.mode, id]));
    },
    async listSessions(scope: Scope, filter: SessionFilter, page: PageRequest, now: Instant): Promise<readonly Session[]> {
      const { text, values } = listing({ scope, filter, page, now }, schema);
      return (await database.query<RowText>(text, values)).map((row) => parseRow<Session>(row));
    },
  };
}

interface Listing {
  readonly scope: Scope;
  readonly filter: SessionFilter;
  readonly page: PageRequest;
  readonly now: Instant;
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The effective status: an overdue session that is not held counts as expired before anybody has expired it. */
function listing({ scope, filter, page, now }: Listing, schema: string): Statement {
  const filtered = (id?: string): PageQuery =>
    new PageQuery('s', scope, page, id)
      .where('s.flow = ?', filter.flow)
      .where('s.currency = ?', filter.currency)
      .where('s.user_reference = ?', filter.userReference)
      .withinIds(filter);
  const query = filtered();
  // One user's sessions are few, and an index has them.
  if (filter.userReference === null) {
    const open = filtered(ID_BY_SPAN);
    if (filter.status === 'open') return { text: openPage(open, schema, now), values: open.values };
    if (filter.status === 'expired') return { text: expiredPage(query, open, schema, now), values: open.values };
  }
  whereStatus(query, filter, now);
  return { text: `select s.row::text as row from "${schema}".sessions s ${query.clauses}`, values: query.values };
}

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
