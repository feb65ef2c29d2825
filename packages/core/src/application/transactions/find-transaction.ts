import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import type { Engine } from '../engine.js';

export async function findTransaction(
  engine: Engine,
  scope: Scope,
  refid: string,
): Promise<Result<Transaction, Refusal<'transaction_not_found'>>> {
  const transaction = await engine.store.find('transaction', scope, refid);
  return transaction === null ? transactionNotFound() : ok(transaction);
}

export function transactionNotFound(): ReturnType<typeof refuse<'transaction_not_found'>> {
  return refuse('transaction_not_found', 'There is no such transaction for this key.');
}
