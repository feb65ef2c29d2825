import type { Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { listPools, listTrades, type PoolsCaller, readBalance } from '../application/pools/read-pools.js';
import { quotePool } from '../application/pools/quote-pool.js';
import { transactPool } from '../application/pools/transact-pool.js';
import type { Scope } from '../domain/mode.js';
import { PAGE_LIMIT_MAX } from '../domain/paging/page.js';
import type { PoolQuoteRequest } from '../domain/pools/pool-quote.js';
import {
  poolBalanceResource,
  poolQuoteResource,
  poolsResource,
  poolTradesResource,
  type GatePool,
  type GatePoolBalance,
  type GatePoolQuote,
  type GatePoolsPage,
  type GatePoolTrade,
} from '../domain/pools/pool-resources.js';
import { refuse } from '../domain/refusal.js';
import { TRADES_LIMIT_DEFAULT, TRANSACT_POOL_BODY, transactedTrade } from '../http/pools/endpoints.js';
import { idOf } from '../http/schema/lists.js';
import { QUOTE_POOL_BODY } from '../http/pools/schemas.js';
import { parsed } from './assemble.js';
import { callWithBody, type KeyedCall } from './keyed-call.js';
import { partnerOf } from './in-process.js';
import type { GateRefusal } from './resources.js';

type Answer<Value> = Promise<Result<Value, GateRefusal>>;

/** Pools for hosts that call in process: the same rules, keys and shapes as on the pools host. Callers are live. */
export interface Pools {
  list(caller: Scope): Answer<GatePoolsPage<GatePool>>;
  quote(caller: Scope, poolId: string, body: PoolQuoteRequest, options?: KeyedCall): Answer<GatePoolQuote>;
  /** Executes a quote, once: asked again, under whatever key, it answers the trade. */
  transact(
    caller: Scope,
    poolId: string,
    body: { readonly quoteId: string; readonly destAddress: string },
    options?: KeyedCall,
  ): Answer<GatePoolTrade>;
  balance(caller: Scope, poolId: string): Answer<GatePoolBalance>;
  /** Newest first; `limit` 1 to 100, 50 by default. */
  trades(
    caller: Scope,
    page?: { readonly cursor?: string | null; readonly limit?: number },
  ): Answer<GatePoolsPage<GatePoolTrade>>;
}

export function inProcessPools(engine: Engine, ready: () => Promise<void>): Pools {
  const as = async <Value>(scope: Scope, call: (caller: PoolsCaller) => Answer<Value>): Answer<Value> => {
    await ready();
    if (scope.mode !== 'live') return refuse('key_mode_mismatch', 'Pools are live only.');
    return call({ partner: await partnerOf(engine, scope), scope });
  };
  return {
    list: (scope) =>
      as(scope, async (caller) => (await listPools(engine, caller)).map((all) => parsed(poolsResource(all)))),
    quote: (scope, poolId, body, options) =>
      as(scope, async (caller) => {
        const call = {
          caller: scope,
          options,
          path: `pools.quote/${poolId}`,
          body: { schema: QUOTE_POOL_BODY, given: body },
          render: poolQuoteResource,
        };
        return callWithBody(engine, call, (request, use) =>
          quotePool(engine, caller, { poolId: idOf(poolId), request }, use),
        );
      }),
    transact: (scope, poolId, body, options) =>
      as(scope, async (caller) => {
        const call = {
          caller: scope,
          options,
          path: `pools.transact/${poolId}`,
          body: { schema: TRANSACT_POOL_BODY, given: body },
          render: transactedTrade,
        };
        return callWithBody(engine, call, (asked, use) =>
          transactPool(engine, caller, { poolId: idOf(poolId), ...asked }, use),
        );
      }),
    balance: (scope, poolId) =>
      as(scope, async (caller) =>
        (await readBalance(engine, caller, idOf(poolId))).map((read) => parsed(poolBalanceResource(read))),
      ),
    trades: (scope, { cursor = null, limit = TRADES_LIMIT_DEFAULT } = {}) =>
      as(scope, async (caller) => {
        if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_LIMIT_MAX)
          return refuse('validation_failed', `limit must be a whole number from 1 to ${PAGE_LIMIT_MAX}.`);
        return (await listTrades(engine, caller, { cursor: cursor === null ? null : idOf(cursor), limit })).map(
          (page) => parsed(poolTradesResource(page)),
        );
      }),
  };
}
