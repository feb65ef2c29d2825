import { type Decimal, decimal, type Instant, type Refusal, refuse, type Scope, scopeOf } from '@gateramp/core/domain';
import { ok, type Result } from 'neverthrow';
import type { PoolQuote } from './pool-quote.js';
import { currenciesOf, type Pool, totalBps } from './pool.js';

/** While `processing`, the amounts are reserved; the other statuses are final. */
export type PoolTradeStatus = 'processing' | 'completed' | 'failed';

export const POOL_TRADE_STATUSES: readonly PoolTradeStatus[] = ['processing', 'completed', 'failed'];

/** An executed quote. Its amounts are reserved until the trade ends. */
export interface PoolTrade extends Scope {
  readonly id: string;
  readonly version: number;
  readonly quoteId: string;
  readonly poolId: string;
  readonly status: PoolTradeStatus;
  readonly network: string;
  readonly amountIn: Decimal;
  readonly currencyIn: string;
  readonly amountOut: Decimal;
  readonly currencyOut: string;
  readonly rate: Decimal;
  readonly totalBps: number;
  readonly destAddress: string;
  readonly txHash: string | null;
  /** The provider's idempotency key; the same on every call. */
  readonly operationId: string;
  readonly createdAt: Instant;
  readonly completedAt: Instant | null;
}

/** The provider's report of a settlement. `txHash` is null if there is none to show. */
export type Settlement =
  | { readonly kind: 'processing'; readonly checkAfterMs: number }
  | { readonly kind: 'completed'; readonly txHash: string | null }
  | { readonly kind: 'failed' };

/** The caller repeats the quote's destination, so that a mistake cannot misdirect funds. */
export function checkDestination(quote: PoolQuote, destAddress: string): Result<null, Refusal<'terms_mismatch'>> {
  if (quote.destAddress === destAddress) return ok(null);
  return refuse(
    'terms_mismatch',
    'destAddress differs from the address in the quote; send the same address or create a new quote.',
  );
}

/** The trade of a quote. A quote is valid up to and including `expiresAt`. */
export function beginTrade(
  quote: PoolQuote,
  { id, now }: { readonly id: string; readonly now: Instant },
): Result<PoolTrade, Refusal<'quote_expired'>> {
  if (now > quote.expiresAt) return refuse('quote_expired', 'This quote has expired; create a new one.');
  const { amountIn, currencyIn, amountOut, currencyOut } = quote;
  return ok({
    partnerId: quote.partnerId,
    mode: quote.mode,
    id,
    version: 0,
    quoteId: quote.id,
    poolId: quote.poolId,
    status: 'processing',
    network: quote.network,
    amountIn,
    currencyIn,
    amountOut,
    currencyOut,
    rate: quote.rate,
    totalBps: totalBps(quote),
    destAddress: quote.destAddress,
    txHash: null,
    operationId: `op_${id}`,
    createdAt: now,
    completedAt: null,
  });
}

/** Applies the provider's report; returns the same object if nothing changes. An ended trade never changes. */
export function settle(trade: PoolTrade, settlement: Settlement, now: Instant): PoolTrade {
  if (trade.status !== 'processing' || settlement.kind === 'processing') return trade;
  if (settlement.kind === 'failed') return { ...trade, status: 'failed', completedAt: now };
  return { ...trade, status: 'completed', txHash: settlement.txHash, completedAt: now };
}

/** A pool's balance in one currency; `total` is `available` plus `reserved`. */
export interface PoolBalance {
  readonly currency: string;
  readonly total: Decimal;
  readonly available: Decimal;
  readonly reserved: Decimal;
}

type Part = 'available' | 'reserved';

interface Owner extends Scope {
  readonly poolId: string;
}

/** Counter name of one part of a balance. */
export function balanceCounter({ partnerId, mode, poolId }: Owner, currency: string, part: Part): string {
  return `pool/${partnerId}/${mode}/${poolId}/${currency}/${part}`;
}

/** Counter names of a pool, in the order in which `balancesOf` expects their values. */
export function balanceCounters(pool: Pool): readonly string[] {
  const owner = { ...scopeOf(pool), poolId: pool.id };
  return currenciesOf(pool).flatMap((currency) => [
    balanceCounter(owner, currency, 'available'),
    balanceCounter(owner, currency, 'reserved'),
  ]);
}

export function balancesOf(pool: Pool, values: readonly Decimal[]): readonly PoolBalance[] {
  return currenciesOf(pool).map((currency, index) => {
    const available = decimal.normalise(values[2 * index] ?? '0');
    const reserved = decimal.normalise(values[2 * index + 1] ?? '0');
    return { currency, total: decimal.add(available, reserved), available, reserved };
  });
}

/** A counter change; `atLeast` is the minimum allowed result. */
interface BalanceMove {
  readonly name: string;
  readonly delta: Decimal;
  readonly atLeast: Decimal | null;
}

/**
 * The counter changes of a trade's step. At its start both amounts move from available to reserved, and available must not fall below zero;
 * on completion they leave the pool; on failure they return to available. `before` is null for a new trade.
 */
export function balanceMoves(before: PoolTrade | null, next: PoolTrade): readonly BalanceMove[] {
  if (before?.status === next.status) return [];
  return [
    { currency: next.currencyIn, amount: next.amountIn },
    { currency: next.currencyOut, amount: next.amountOut },
  ].flatMap(({ currency, amount }): readonly BalanceMove[] => {
    const available = balanceCounter(next, currency, 'available');
    const reserved = balanceCounter(next, currency, 'reserved');
    switch (next.status) {
      case 'processing':
        return [
          { name: available, delta: `-${amount}`, atLeast: '0' },
          { name: reserved, delta: amount, atLeast: null },
        ];
      case 'completed':
        return [{ name: reserved, delta: `-${amount}`, atLeast: null }];
      case 'failed':
        return [
          { name: reserved, delta: `-${amount}`, atLeast: null },
          { name: available, delta: amount, atLeast: null },
        ];
    }
  });
}
