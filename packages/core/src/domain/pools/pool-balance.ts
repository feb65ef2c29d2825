import { scopeOf, type Scope } from '../mode.js';
import { add, normalise, type Decimal } from '../money/decimal.js';
import { currenciesOf, type Pool } from './pool.js';
import type { PoolTrade } from './pool-trade.js';

/** What a pool has of one of its currencies: `total` is what is `available` and what trades have `reserved`. */
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

/** Name of the counter of one part of one balance. */
export function balanceCounter({ partnerId, mode, poolId }: Owner, currency: string, part: Part): string {
  return `pool/${partnerId}/${mode}/${poolId}/${currency}/${part}`;
}

/** The counters of a pool, in the order `balancesOf` takes their values. */
export function balanceCounters(pool: Pool): readonly string[] {
  const owner = { ...scopeOf(pool), poolId: pool.id };
  return currenciesOf(pool).flatMap((currency) => [
    balanceCounter(owner, currency, 'available'),
    balanceCounter(owner, currency, 'reserved'),
  ]);
}

export function balancesOf(pool: Pool, values: readonly Decimal[]): readonly PoolBalance[] {
  return currenciesOf(pool).map((currency, index) => {
    const available = normalise(values[2 * index] ?? '0');
    const reserved = normalise(values[2 * index + 1] ?? '0');
    return { currency, total: add(available, reserved), available, reserved };
  });
}

/** A move of a counter; `atLeast` is what it may not fall below. */
export interface BalanceMove {
  readonly name: string;
  readonly delta: Decimal;
  readonly atLeast: Decimal | null;
}

/**
 * What a step of a trade takes and gives back: it begins with both amounts going from available to reserved, which may leave nothing below
 * zero; completed, they leave the pool; failed, they come back. `before` is null for one that begins.
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
