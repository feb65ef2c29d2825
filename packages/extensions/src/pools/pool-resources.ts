import { type Instant, isoTime, isoTimeOrNull, type JsonText, type Page, toJsonText } from '@gateramp/core/domain';
import type { PoolQuote } from './pool-quote.js';
import type { PoolBalance, PoolTrade } from './pool-trade.js';
import { type Pool, totalBps } from './pool.js';

/** A page of the pools product; `nextCursor` is null on the last page. */
type GatePoolsPage<Item> = {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
};

/** A pool on the wire. The pools product uses camelCase and has no `object` member (spec: Pools product). */
type GatePool = ReturnType<typeof poolMembers>;

function poolMembers(pool: Pool) {
  const { id: poolId, asset, network, currency, spreadBps, feeBps } = pool;
  return { poolId, asset, network, currency, spreadBps, feeBps };
}

/** A pool quote as a wire resource. */
export function poolQuoteResource(quote: PoolQuote) {
  return toJsonText({
    quoteId: quote.id,
    poolId: quote.poolId,
    side: quote.side,
    asset: quote.asset,
    network: quote.network,
    amountIn: quote.amountIn,
    currencyIn: quote.currencyIn,
    amountOut: quote.amountOut,
    currencyOut: quote.currencyOut,
    rate: quote.rate,
    spreadBps: quote.spreadBps,
    feeBps: quote.feeBps,
    totalBps: totalBps(quote),
    destAddress: quote.destAddress,
    expiresAt: isoTime(quote.expiresAt),
    createdAt: isoTime(quote.createdAt),
  });
}

/** A pool trade on the wire; amounts are decimal strings. */
type GatePoolTrade = ReturnType<typeof poolTradeMembers>;

/** A pool trade as wire members. */
export function poolTradeMembers(trade: PoolTrade) {
  return {
    transactId: trade.id,
    quoteId: trade.quoteId,
    poolId: trade.poolId,
    status: trade.status,
    amountIn: trade.amountIn,
    currencyIn: trade.currencyIn,
    amountOut: trade.amountOut,
    currencyOut: trade.currencyOut,
    rate: trade.rate,
    totalBps: trade.totalBps,
    destAddress: trade.destAddress,
    txHash: trade.txHash,
    createdAt: isoTime(trade.createdAt),
    completedAt: isoTimeOrNull(trade.completedAt),
  };
}

/** A pool trade as a wire resource. */
export function poolTradeResource(trade: PoolTrade): JsonText<GatePoolTrade> {
  return toJsonText(poolTradeMembers(trade));
}

/** A partner's balances in a pool; amounts are decimal strings. */
export function poolBalanceResource(read: {
  readonly poolId: string;
  readonly balances: readonly PoolBalance[];
  readonly asOf: Instant;
}) {
  const balances = read.balances.map((one) => ({ ...one }));
  return toJsonText({ poolId: read.poolId, balances, asOf: isoTime(read.asOf) });
}

/** All pools of a partner, as a single page. */
export function poolsResource(pools: readonly Pool[]): JsonText<GatePoolsPage<GatePool>> {
  return toJsonText<GatePoolsPage<GatePool>>({ data: pools.map(poolMembers), hasMore: false, nextCursor: null });
}

/** A page of trades; the cursor is the id of its last trade. */
export function poolTradesResource({ items, hasMore }: Page<PoolTrade>): JsonText<GatePoolsPage<GatePoolTrade>> {
  const nextCursor = hasMore ? (items.at(-1)?.id ?? null) : null;
  return toJsonText<GatePoolsPage<GatePoolTrade>>({ data: items.map(poolTradeMembers), hasMore, nextCursor });
}
