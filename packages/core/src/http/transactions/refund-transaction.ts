import { refundTransaction } from '../../application/transactions/refund-transaction.js';
import { transactionResource } from '../../domain/transaction/transaction-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { KEY_REFUSALS, KEYED_WRITE } from '../presets.js';
import { REFUND_TRANSACTION_BODY, TRANSACTION } from './transaction-schemas.js';

export const refundTransactionEndpoint = endpoint({
  ...KEYED_WRITE,
  name: 'refundTransaction',
  path: '/v1/transactions/{refid}/refund',
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
  run: async ({ engine, caller, params, body, keyed, answer }) => {
    const input = { refid: param(params, 'refid'), ...body };
    const done = await refundTransaction(engine, caller.scope, input, keyed(transactionResource));
    return done.map((answered) => answer(answered, transactionResource));
  },
});
