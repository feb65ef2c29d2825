import { err, ok, type Result } from 'neverthrow';
import { cutPage, type Page } from '../../domain/paging/page.js';
import type { PoolTrade } from '../../domain/pools/pool-trade.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { findRow, listRows } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { checkPoolsAccess, type AccessRefusal, type PoolsCaller } from './find-pool.js';
import { POOL_TRADES } from './kinds.js';

/**
 * Trades of all the caller's pools, newest first; `cursor` is the last one of the page before. One that is not the
 * caller's does not exist.
 */
export async function listTrades(
  engine: Engine,
  caller: PoolsCaller,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<Result<Page<PoolTrade>, AccessRefusal | Refusal<'transaction_not_found'>>> {
  const access = await checkPoolsAccess(engine, caller);
  if (access.isErr()) return err(access.error);
  const { store } = engine;
  if (cursor !== null && (await findRow(store, POOL_TRADES, caller.scope, cursor)) === null) {
    return refuse(
      'transaction_not_found',
      'cursor does not match any of your trades; pass the nextCursor of the previous page.',
    );
  }
  const page = { limit, start: cursor === null ? { kind: 'newest' as const } : { kind: 'after' as const, id: cursor } };
  return ok(cutPage(await listRows(store, POOL_TRADES, caller.scope, page), page));
}
