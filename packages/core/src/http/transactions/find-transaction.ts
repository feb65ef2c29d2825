import { findTransaction } from '../../application/transactions/find-transaction.js';
import { transactionResource } from '../../domain/transaction/transaction-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { SECRET_READ } from '../presets.js';
import { TRANSACTION } from './transaction-schemas.js';

export const findTransactionEndpoint = endpoint({
  ...SECRET_READ,
  name: 'findTransaction',
  path: '/v1/transactions/{refid}',
  summary: 'Look up one transaction by its refid',
  reply: TRANSACTION,
  refusals: ['transaction_not_found'],
  run: async ({ engine, caller, params }) => {
    const transaction = await findTransaction(engine, caller.scope, param(params, 'refid'));
    return transaction.map(transactionResource);
  },
});
