import { listTransactions as listPage } from '../../application/transactions/list-transactions.js';
import type { PageRequest } from '../../domain/paging/page.js';
import { FLOWS } from '../../domain/session/terms.js';
import { TRANSACTION_STATUSES } from '../../domain/transaction/transaction.js';
import { transactionResource } from '../../domain/transaction/transaction-resource.js';
import type { TransactionFilter } from '../../ports/store.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint, type Read } from '../endpoint.js';
import { listEnvelope } from '../list-envelope.js';
import { QueryReader } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';

export const listTransactions = endpoint({
  method: 'GET',
  path: '/v1/transactions',
  summary: 'List transactions, newest first',
  auth: 'secret',
  limits: perMinute(60),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: null,
  query: readListQuery,
  body: 'none',
  success: 200,
  errors: { transaction_not_found: 404 },
  run: async ({ engine, caller, query, path }) => {
    const page = await listPage(engine, caller.scope, query.filter, query.page);
    return page.map((found) => listEnvelope(found, path, transactionResource));
  },
});

function readListQuery(
  query: URLSearchParams,
): Read<{ readonly filter: TransactionFilter; readonly page: PageRequest }> {
  const reader = new QueryReader(query);
  const filter: TransactionFilter = {
    status: reader.oneOf('status', TRANSACTION_STATUSES),
    flow: reader.oneOf('flow', FLOWS),
    sessionId: reader.text('session_id'),
    userReference: reader.text('user_reference'),
    createdAfter: reader.instant('created_after'),
    createdBefore: reader.instant('created_before'),
  };
  const page = reader.page();
  return reader.done({ filter, page });
}
