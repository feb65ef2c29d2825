import {
  type Decimal,
  decimal,
  type Instant,
  isSameCode,
  type Refusal,
  refuse,
  type Scope,
  SECOND,
} from '@gateramp/core/domain';
import { ok, type Result } from 'neverthrow';
import { BPS_WHOLE, type Pool, totalBps } from './pool.js';

/** Validity of a pool quote, inclusive of its last instant. */
const QUOTE_LIFETIME = 30 * SECOND;

/** Same as a session's flow: `on_ramp` buys the asset, `off_ramp` sells it. */
export type PoolSide = 'on_ramp' | 'off_ramp';

/** All sides of a pool. */
export const POOL_SIDES: readonly PoolSide[] = ['on_ramp', 'off_ramp'];

/** A price held for a limited time that can be executed once. */
export interface PoolQuote extends Scope {
  readonly id: string;
  readonly version: number;
  readonly poolId: string;
  readonly side: PoolSide;
  readonly asset: string;
  readonly network: string;
  readonly amountIn: Decimal;
  readonly currencyIn: string;
  readonly amountOut: Decimal;
  readonly currencyOut: string;
  readonly rate: Decimal;
  readonly spreadBps: number;
  readonly feeBps: number;
  readonly destAddress: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** The trade that executed it. */
  readonly tradeId: string | null;
}

/** A request for a pool quote. */
export interface PoolQuoteRequest {
  readonly side: PoolSide;
  readonly asset: string;
  readonly network: string;
  /** In `currency`. */
  readonly amount: Decimal;
  readonly currency: string;
  readonly destAddress: string;
}

/** The amount of asset that one unit of the pool's currency buys, and the asset's number of decimals. */
export interface PoolPrice {
  readonly rate: Decimal;
  readonly decimals: number;
}

/** amountIn × rate × (1 − totalBps / 10000), rounded down at the asset's decimals, so that the payout never exceeds the price. */
export function amountOut(amountIn: Decimal, { rate, decimals }: PoolPrice, bps: number): Decimal {
  const kept = decimal.multiply(decimal.multiply(amountIn, rate), String(BPS_WHOLE - bps));
  return decimal.toFixedDown(decimal.divideDown(kept, String(BPS_WHOLE), decimals), decimals);
}

export type TermsRefusal = Refusal<'off_ramp_not_available' | 'asset_network_mismatch' | 'corridor_not_supported'>;

/** Checks that the request is for the pool's asset, network and currency, case-insensitively. */
export function checkTerms(pool: Pool, request: PoolQuoteRequest): Result<null, TermsRefusal> {
  if (request.side === 'off_ramp') {
    return refuse('off_ramp_not_available', 'Pools do not buy crypto back yet; side must be on_ramp.');
  }
  if (!isSameCode(request.asset, pool.asset) || !isSameCode(request.network, pool.network)) {
    return refuse('asset_network_mismatch', `This pool holds ${pool.asset} on ${pool.network}.`);
  }
  if (!isSameCode(request.currency, pool.currency)) {
    return refuse('corridor_not_supported', `This pool accepts ${pool.currency}.`);
  }
  return ok(null);
}

/** The quote of a checked request; refused if the amount out rounds to zero. */
export function quotePool(
  pool: Pool,
  { amount, destAddress }: PoolQuoteRequest,
  price: PoolPrice,
  { id, now }: { readonly id: string; readonly now: Instant },
): Result<PoolQuote, Refusal<'amount_below_minimum'>> {
  const out = amountOut(amount, price, totalBps(pool));
  if (!decimal.isPositive(out)) {
    return refuse(
      'amount_below_minimum',
      `${amount} ${pool.currency} buys less than the smallest unit of ${pool.asset}.`,
    );
  }
  return ok({
    partnerId: pool.partnerId,
    mode: pool.mode,
    id,
    version: 0,
    poolId: pool.id,
    side: 'on_ramp',
    asset: pool.asset,
    network: pool.network,
    amountIn: amount,
    currencyIn: pool.currency,
    amountOut: out,
    currencyOut: pool.asset,
    rate: price.rate,
    spreadBps: pool.spreadBps,
    feeBps: pool.feeBps,
    destAddress,
    createdAt: now,
    expiresAt: now + QUOTE_LIFETIME,
    tradeId: null,
  });
}
