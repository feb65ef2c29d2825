import { isoTime, isoTimeOrNull, type Instant } from '../instant.js';
import { type JsonText, toJsonText } from '../json.js';
import type { Page } from '../paging/page.js';
import type { PoolBalance, PoolTrade, PoolTradeStatus } from './pool-trade.js';
import type { PoolQuote, PoolSide } from './pool-quote.js';
import { type Pool, totalBps } from './pool.js';

/** The pools product speaks camelCase and names no `object` (spec: Pools product). */
export type GatePool = {
  readonly poolId: string;
  readonly asset: string;
  readonly network: string;
  readonly currency: string;
  readonly spreadBps: number;
  readonly feeBps: number;
};

/** A pool quote as the wire shows it; rates and amounts are decimal text. */
export type GatePoolQuote = {
  readonly quoteId: string;
  readonly poolId: string;
  readonly side: PoolSide;
  readonly asset: string;
  readonly network: string;
  readonly amountIn: string;
  readonly currencyIn: string;
  readonly amountOut: string;
  readonly currencyOut: string;
  readonly rate: string;
  readonly spreadBps: number;
  readonly feeBps: number;
  readonly totalBps: number;
  readonly destAddress: string;
  readonly expiresAt: string;
  readonly createdAt: string;
};

/** A pool trade as the wire shows it; amounts are decimal text. */
export type GatePoolTrade = {
  readonly transactId: string;
  readonly quoteId: string;
  readonly poolId: string;
  readonly status: PoolTradeStatus;
  readonly amountIn: string;
  readonly currencyIn: string;
  readonly amountOut: string;
  readonly currencyOut: string;
  readonly rate: string;
  readonly totalBps: number;
  readonly destAddress: string;
  readonly txHash: string | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
};

/** What a partner has, by currency: in all, reserved for trades under way, and free. */
export type GatePoolBalance = {
  readonly poolId: string;
  readonly balances: readonly {
    readonly currency: string;
    readonly total: string;
    readonly available: string;
    readonly reserved: string;
  }[];
  readonly asOf: string;
};

/** A page of the pools product: `nextCursor` is null at the end. */
export type GatePoolsPage<Item> = {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
};

function poolMembers(pool: Pool): GatePool {
  const { id: poolId, asset, network, currency, spreadBps, feeBps } = pool;
  return { poolId, asset, network, currency, spreadBps, feeBps };
}

/** A pool quote as the wire shows it. */
export function poolQuoteResource(quote: PoolQuote): JsonText<GatePoolQuote> {
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
  } satisfies GatePoolQuote);
}

function poolTradeMembers(trade: PoolTrade): GatePoolTrade {
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

/** A pool trade as the wire shows it. */
export function poolTradeResource(trade: PoolTrade): JsonText<GatePoolTrade> {
  return toJsonText(poolTradeMembers(trade));
}

/** What the partner has at a pool; amounts are decimal text. */
export function poolBalanceResource(read: {
  readonly poolId: string;
  readonly balances: readonly PoolBalance[];
  readonly asOf: Instant;
}): JsonText<GatePoolBalance> {
  const balances = read.balances.map((one) => ({ ...one }));
  return toJsonText({ poolId: read.poolId, balances, asOf: isoTime(read.asOf) } satisfies GatePoolBalance);
}

/** All pools of a partner are one page. */
export function poolsResource(pools: readonly Pool[]): JsonText<GatePoolsPage<GatePool>> {
  return toJsonText<GatePoolsPage<GatePool>>({ data: pools.map(poolMembers), hasMore: false, nextCursor: null });
}

/** A page of trades; the cursor is its last one's id. */
export function poolTradesResource({ items, hasMore }: Page<PoolTrade>): JsonText<GatePoolsPage<GatePoolTrade>> {
  const nextCursor = hasMore ? (items.at(-1)?.id ?? null) : null;
  return toJsonText<GatePoolsPage<GatePoolTrade>>({ data: items.map(poolTradeMembers), hasMore, nextCursor });
}
