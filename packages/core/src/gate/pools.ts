import { err, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import type { PoolsCaller } from '../application/pools/find-pool.js';
import { listPools } from '../application/pools/list-pools.js';
import { listTrades } from '../application/pools/list-trades.js';
import { quotePool } from '../application/pools/quote-pool.js';
import { readBalance } from '../application/pools/read-balance.js';
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
import { TRADES_LIMIT_DEFAULT } from '../http/pools/list-trades.js';
import { idOf } from '../http/schema/list-query.js';
import { QUOTE_POOL_BODY } from '../http/pools/quote-pool-body.js';
import { transactedTrade, TRANSACT_POOL_BODY } from '../http/pools/transact-pool.js';
import { answerOf, keyUse, parsed, readGiven, type KeyedCall } from './given.js';
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
    const partner = await engine.partners.findPartner(scope.partnerId);
    if (partner === null) throw new Error(`There is no partner ${scope.partnerId}.`);
    return call({ partner, scope });
  };
  return {
    list: (scope) =>
      as(scope, async (caller) => (await listPools(engine, caller)).map((all) => parsed(poolsResource(all)))),
    quote: (scope, poolId, body, options) =>
      as(scope, async (caller) => {
        const given = readGiven(engine, scope, QUOTE_POOL_BODY, body);
        if (given.isErr()) return err(given.error);
        const { value: request, canonical } = given.value;
        const key = options?.idempotencyKey;
        const path = `pools.quote/${poolId}`;
        const use = keyUse(engine, { caller: scope, key, path, canonical, render: poolQuoteResource });
        if (use.isErr()) return err(use.error);
        const done = await quotePool(engine, caller, { poolId: idOf(poolId), request }, use.value);
        return done.map((answered) => answerOf(answered, poolQuoteResource));
      }),
    transact: (scope, poolId, body, options) =>
      as(scope, async (caller) => {
        const given = readGiven(engine, scope, TRANSACT_POOL_BODY, body);
        if (given.isErr()) return err(given.error);
        const { value: asked, canonical } = given.value;
        const key = options?.idempotencyKey;
        const path = `pools.transact/${poolId}`;
        const use = keyUse(engine, { caller: scope, key, path, canonical, render: transactedTrade });
        if (use.isErr()) return err(use.error);
        const done = await transactPool(engine, caller, { poolId: idOf(poolId), ...asked }, use.value);
        return done.map((answered) => answerOf(answered, transactedTrade));
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
