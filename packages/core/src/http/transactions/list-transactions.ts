import { listTransactions } from '../../application/transactions/list-transactions.js';
import { transactionResource } from '../../domain/transaction/transaction-resource.js';
import { endpoint } from '../endpoint.js';
import { SECRET_READ } from '../presets.js';
import { listEnvelope, listOf } from '../schema/list-envelope.js';
import { LIST_TRANSACTIONS_QUERY, TRANSACTION } from './transaction-schemas.js';

export const listTransactionsEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listTransactions',
  path: '/v1/transactions',
  summary: 'List transactions, newest first',
  query: LIST_TRANSACTIONS_QUERY,
  reply: listOf(TRANSACTION, '/v1/transactions'),
  refusals: ['transaction_not_found'],
  run: async ({ engine, caller, query, path }) => {
    const page = await listTransactions(engine, caller.scope, query.filter, query.page);
    return page.map((found) => listEnvelope(found, path, transactionResource));
  },
});
