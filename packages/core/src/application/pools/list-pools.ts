import { err, ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { cutPage, PAGE_LIMIT_MAX, type Page, type PageRequest, type PageStart } from '../../domain/paging/page.js';
import type { Pool } from '../../domain/pools/pool.js';
import { listRows } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { checkPoolsAccess, whyPoolRestricted, type AccessRefusal, type PoolsCaller } from './find-pool.js';
import { POOLS } from './kinds.js';

/** All pools of the caller that its restrictions allow, by id: a partner has a few. */
export async function listPools(engine: Engine, caller: PoolsCaller): Promise<Result<readonly Pool[], AccessRefusal>> {
  const access = await checkPoolsAccess(engine, caller);
  if (access.isErr()) return err(access.error);
  const pools = await poolsOf(engine, caller.scope);
  return ok(pools.filter((pool) => whyPoolRestricted(caller, { ...pool, amount: null }) === null));
}

/** Whatever the partner may do with them. */
export async function poolsOf({ store }: Pick<Engine, 'store'>, scope: Scope): Promise<readonly Pool[]> {
  const pools: Pool[] = [];
  for (let start: PageStart = { kind: 'newest' }; ;) {
    const request: PageRequest = { start, limit: PAGE_LIMIT_MAX };
    const { items, hasMore }: Page<Pool> = cutPage(await listRows(store, POOLS, scope, request), request);
    pools.push(...items);
    const last = items.at(-1);
    if (!hasMore || last === undefined) return pools.toReversed();
    start = { kind: 'after', id: last.id };
  }
}
