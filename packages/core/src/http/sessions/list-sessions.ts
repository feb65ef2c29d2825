import { listSessions as listPage } from '../../application/sessions/list-sessions.js';
import type { PageRequest } from '../../domain/paging/page.js';
import { SESSION_STATUSES } from '../../domain/session/session.js';
import { sessionResource } from '../../domain/session/session-resource.js';
import { FLOWS } from '../../domain/session/terms.js';
import type { SessionFilter } from '../../ports/store.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint, type Read } from '../endpoint.js';
import { listEnvelope } from '../list-envelope.js';
import { QueryReader } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';

export const listSessions = endpoint({
  method: 'GET',
  path: '/v1/gate_sessions',
  summary: 'List sessions, newest first',
  auth: 'secret',
  limits: perMinute(60),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: null,
  query: readListQuery,
  body: 'none',
  success: 200,
  errors: { session_not_found: 404 },
  run: async ({ engine, caller, query, path }) => {
    const page = await listPage(engine, caller.scope, query.filter, query.page);
    return page.map((found) => listEnvelope(found, path, sessionResource));
  },
});

function readListQuery(query: URLSearchParams): Read<{ readonly filter: SessionFilter; readonly page: PageRequest }> {
  const reader = new QueryReader(query);
  const filter: SessionFilter = {
    status: reader.oneOf('status', SESSION_STATUSES),
    flow: reader.oneOf('flow', FLOWS),
    currency: reader.currency('currency'),
    userReference: reader.text('user_reference'),
    createdAfter: reader.instant('created_after'),
    createdBefore: reader.instant('created_before'),
  };
  const page = reader.page();
  return reader.done({ filter, page });
}
