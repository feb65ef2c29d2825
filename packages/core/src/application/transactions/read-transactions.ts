import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { cutPage, type Page, type PageRequest } from '../../domain/paging/page.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import type { TransactionFilter } from '../../ports/rows.js';
import type { Engine } from '../engine.js';

export async function retrieveTransaction(
  engine: Engine,
  scope: Scope,
  refid: string,
): Promise<Result<Transaction, Refusal<'transaction_not_found'>>> {
  const transaction = await engine.store.find('transaction', scope, refid);
  return transaction === null ? transactionNotFound() : ok(transaction);
}

function transactionNotFound(): ReturnType<typeof refuse<'transaction_not_found'>> {
  return refuse('transaction_not_found', 'There is no such transaction for this key.');
}

/** A page of transactions, newest first. Another partner's cursor is treated as unknown. */
export async function listTransactions(
  engine: Engine,
  scope: Scope,
  filter: TransactionFilter,
  request: PageRequest,
): Promise<Result<Page<Transaction>, Refusal<'transaction_not_found'>>> {
  const { start } = request;
  if (start.kind !== 'newest' && (await engine.store.find('transaction', scope, start.id)) === null) {
    return transactionNotFound();
  }
  return ok(cutPage(await engine.store.list('transaction', scope, filter, request), request));
}
