import { retrieveTransaction, listTransactions } from '../../application/transactions/read-transactions.js';
import { refundTransaction } from '../../application/transactions/refund-transaction.js';
import { transactionResource } from '../../domain/transaction/transaction-resource.js';
import { by, endpoint } from '../endpoint.js';
import { param } from '../pipeline/router.js';
import { KEY_REFUSALS, KEYED_WRITE, SECRET_READ } from '../presets.js';
import { listEnvelope, listOf } from '../schema/lists.js';
import { LIST_TRANSACTIONS_QUERY, REFUND_TRANSACTION_BODY, TRANSACTION } from './schemas.js';

export const listTransactionsEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listTransactions',
  scope: 'transactions:read',
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

export const retrieveTransactionEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveTransaction',
  scope: 'transactions:read',
  path: '/v1/transactions/{refid}',
  summary: 'Retrieve a transaction by its refid',
  reply: TRANSACTION,
  refusals: ['transaction_not_found'],
  run: async ({ engine, caller, params }) => {
    const transaction = await retrieveTransaction(engine, caller.scope, param(params, 'refid'));
    return transaction.map(transactionResource);
  },
});

/** Called in process by operators alone (`gate.admin.refundTransaction`): the API has no refunds. */
export const refundTransactionCall = endpoint({
  ...KEYED_WRITE,
  name: 'refundTransaction',
  scope: null,
  path: '/transactions/{refid}/refund',
  summary: 'Refund a completed transaction, in whole or in part',
  body: REFUND_TRANSACTION_BODY,
  reply: TRANSACTION,
  refusals: [
    ...KEY_REFUSALS,
    'transaction_not_found',
    'validation_failed',
    'refund_not_possible',
    'refund_exceeds_amount',
  ],
  run: async ({ engine, caller, requestId, params, body, keyed, answer }) => {
    const named = by(caller, requestId);
    const input = { refid: param(params, 'refid'), ...body, by: { ...named, reason: named.reason ?? body.reason } };
    const done = await refundTransaction(engine, caller.scope, input, keyed(transactionResource));
    return done.map((answered) => answer(answered, transactionResource));
  },
});
