import { findTransaction as findOne } from '../../application/transactions/find-transaction.js';
import { transactionResource } from '../../domain/transaction/transaction-resource.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';

export const findTransaction = endpoint({
  method: 'GET',
  path: '/v1/transactions/{refid}',
  summary: 'Look up one transaction by its refid',
  auth: 'secret',
  limits: perMinute(60),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: null,
  query: noQuery,
  body: 'none',
  success: 200,
  errors: { transaction_not_found: 404 },
  run: async ({ engine, caller, params }) => {
    const transaction = await findOne(engine, caller.scope, param(params, 'refid'));
    return transaction.map(transactionResource);
  },
});
