import type { Intent, Mode, PageRequest, Scope, Transaction } from '@gateramp/core';
import type { TransactionFilter } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { PageQuery } from './page-query.js';
import { parseFirst, parseRow, type RowText } from './row-text.js';

/** Intents and transactions. */
export function purchaseReads(database: Database, schema: string) {
  const findIntent = `select row::text as row from "${schema}".intents where partner_id = $1 and mode = $2 and id = $3`;
  const findByOperation = `select row::text as row from "${schema}".intents where mode = $1 and provider = $2 and operation_id = $3 limit 1`;
  const findTransaction = `select row::text as row from "${schema}".transactions where partner_id = $1 and mode = $2 and id = $3`;
  return {
    async findIntent(scope: Scope, id: string): Promise<Intent | null> {
      return parseFirst<Intent>(await database.query<RowText>(findIntent, [scope.partnerId, scope.mode, id]));
    },
    async findIntentByOperation(mode: Mode, provider: string, operationId: string): Promise<Intent | null> {
      return parseFirst<Intent>(await database.query<RowText>(findByOperation, [mode, provider, operationId]));
    },
    async findTransaction(scope: Scope, refid: string): Promise<Transaction | null> {
      return parseFirst<Transaction>(await database.query<RowText>(findTransaction, [scope.partnerId, scope.mode, refid]));
    },
    async listTransactions(scope: Scope, filter: TransactionFilter, page: PageRequest): Promise<readonly Transaction[]> {
      const query = new PageQuery('t', scope, page)
        .where('t.status = ?', filter.status)
        .where('t.flow = ?', filter.flow)
        .where('t.session_id = ?', filter.sessionId)
        .where('t.user_reference = ?', filter.userReference)
        .within(filter);
      const rows = await database.query<RowText>(`select t.row::text as row from "${schema}".transactions t ${query.clauses}`, query.values);
      return rows.map((row) => parseRow<Transaction>(row));
    },
  };
}
