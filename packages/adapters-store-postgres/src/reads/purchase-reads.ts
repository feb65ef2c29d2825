import type { Mode, Scope } from '@gateramp/core';
import type { Intent, PageRequest, Transaction } from '@gateramp/core/domain';
import type { Finders, Listers, TransactionFilter } from '@gateramp/core/ports';
import type { Reading } from './reading.js';
import { parseFirst, parseOne, parseRow, type RowText } from './row-text.js';
import { transactionPage } from './transaction-pages.js';

interface PurchaseReads {
  readonly findIntent: Finders['intent'];
  readonly findIntentByOperation: Finders['intent_by_operation'];
  readonly findTransaction: Finders['transaction'];
  readonly listTransactions: Listers['transaction'];
}

/** Intents and transactions. */
export function purchaseReads(reading: Reading, schema: string): PurchaseReads {
  const findByOperation = `select row::text as row from "${schema}".intents where mode = $1 and provider = $2 and operation_id = $3 limit 1`;
  return {
    async findIntent(scope: Scope, id: string): Promise<Intent | null> {
      return parseOne<Intent>(await reading.rowByKey('intents', { scope, id }));
    },
    async findIntentByOperation(mode: Mode, provider: string, operationId: string): Promise<Intent | null> {
      return parseFirst<Intent>(await reading.find<RowText>(findByOperation, [mode, provider, operationId]));
    },
    async findTransaction(scope: Scope, refid: string): Promise<Transaction | null> {
      return parseOne<Transaction>(await reading.rowByKey('transactions', { scope, id: refid }));
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
