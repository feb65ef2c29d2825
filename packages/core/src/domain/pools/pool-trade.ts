import { ok, type Result } from 'neverthrow';
import type { Instant } from '../instant.js';
import type { Scope } from '../mode.js';
import type { Decimal } from '../money/decimal.js';
import { refuse, type Refusal } from '../refusal.js';
import { totalBps } from './pool.js';
import type { PoolQuote } from './pool-quote.js';

/** `processing` holds its money reserved; the others are ends. */
export type PoolTradeStatus = 'processing' | 'completed' | 'failed';

export const POOL_TRADE_STATUSES: readonly PoolTradeStatus[] = ['processing', 'completed', 'failed'];

/** A quote that was executed: its money is reserved until the trade has ended. */
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
  /** Under which the provider knows it; the same however often it is asked. */
  readonly operationId: string;
  readonly createdAt: Instant;
  readonly completedAt: Instant | null;
}

/** What the provider says of a settlement. Null `txHash`: there is none to show. */
export type Settlement =
  | { readonly kind: 'processing'; readonly checkAfterMs: number }
  | { readonly kind: 'completed'; readonly txHash: string | null }
  | { readonly kind: 'failed' };

/** The caller repeats the destination of the quote: a different one is a mistake that would misdirect money. */
export function checkDestination(quote: PoolQuote, destAddress: string): Result<null, Refusal<'terms_mismatch'>> {
  if (quote.destAddress === destAddress) return ok(null);
  return refuse(
    'terms_mismatch',
    'destAddress differs from the address in the quote; send the same address or create a new quote.',
  );
}

/** The trade of a quote. At the very instant of its expiry a quote is still good. */
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

/** The trade after what the provider said; the same object when nothing has come of it. An end is for good. */
export function settle(trade: PoolTrade, settlement: Settlement, now: Instant): PoolTrade {
  if (trade.status !== 'processing' || settlement.kind === 'processing') return trade;
  if (settlement.kind === 'failed') return { ...trade, status: 'failed', completedAt: now };
  return { ...trade, status: 'completed', txHash: settlement.txHash, completedAt: now };
}
