import { DAY } from '../../domain/instant.js';
import type { MadeMovement } from '../../domain/pools/pool-movement.js';
import type { PoolQuote } from '../../domain/pools/pool-quote.js';
import type { PoolTrade } from '../../domain/pools/pool-trade.js';
import type { Pool } from '../../domain/pools/pool.js';
import type { PoolsAccess } from '../../domain/pools/pools-access.js';
import type { DocumentKind } from '../documents/document-kind.js';

/** How long an unused quote still answers that it has expired. */
const EXPIRED_QUOTE_KEPT = DAY;

export const POOLS: DocumentKind<Pool> = { noun: 'pool' };

export const POOLS_ACCESS: DocumentKind<PoolsAccess> = { noun: 'pools_access' };

/** Of operators; found by what its reference means, and never listed. */
export const POOL_MOVEMENTS: DocumentKind<MadeMovement> = { noun: 'pool_movement' };

/** A quote that was executed stays with its trade, so that executing it again finds the trade. */
export const POOL_QUOTES: DocumentKind<PoolQuote> = {
  noun: 'pool_quote',
  groupOf: ({ poolId }) => poolId,
  keepUntilOf: ({ tradeId, expiresAt }) => (tradeId === null ? expiresAt + EXPIRED_QUOTE_KEPT : null),
};

export const POOL_TRADES: DocumentKind<PoolTrade> = { noun: 'pool_trade', groupOf: ({ poolId }) => poolId };
