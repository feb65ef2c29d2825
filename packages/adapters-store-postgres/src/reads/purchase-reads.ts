import type { Intent, Mode, PageRequest, Scope, Transaction } from '@gateramp/core';
import type { TransactionFilter } from '@gateramp/core/ports';
import type { Reading } from './reading.js';
import { parseFirst, parseRow, type RowText } from './row-text.js';
import { transactionPage } from './transaction-pages.js';

/** Intents and transactions. */
export function purchaseReads(reading: Reading, schema: string) {
  const findIntent = `select row::text as row from "${schema}".intents where partner_id = $1 and mode = $2 and id = $3`;
  const findByOperation = `select row::text as row from "${schema}".intents where mode = $1 and provider = $2 and operation_id = $3 limit 1`;
  const findTransaction = `select row::text as row from "${schema}".transactions where partner_id = $1 and mode = $2 and id = $3`;
  return {
    async findIntent(scope: Scope, id: string): Promise<Intent | null> {
      return parseFirst<Intent>(await reading.find<RowText>(findIntent, [scope.partnerId, scope.mode, id]));
    },
    async findIntentByOperation(mode: Mode, provider: string, operationId: string): Promise<Intent | null> {
      return parseFirst<Intent>(await reading.find<RowText>(findByOperation, [mode, provider, operationId]));
    },
    async findTransaction(scope: Scope, refid: string): Promise<Transaction | null> {
      return parseFirst<Transaction>(
        await reading.find<RowText>(findTransaction, [scope.partnerId, scope.mode, refid]),
      );
    },
    async listTransactions(
      scope: Scope,
      filter: TransactionFilter,
      page: PageRequest,
    ): Promise<readonly Transaction[]> {
      return (await reading.list<RowText>(transactionPage({ scope, filter, page }, schema))).map((row) =>
        parseRow<Transaction>(row),
      );
    },
  };
}
