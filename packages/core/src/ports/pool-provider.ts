import type { Instant } from '../domain/instant.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { PoolPrice } from '../domain/pools/pool-quote.js';
import type { PoolTrade, Settlement } from '../domain/pools/pool-trade.js';

/**
 * Where the prices of pools come from, and who carries their trades out. Law: `settle` is idempotent on `trade.operationId`. The first call
 * begins the settlement, every other one returns its state, and what has ended keeps its end. So a call whose answer was lost is simply
 * made again.
 */
export interface PoolProvider {
  /** The modes in which it takes quotes and trades; by default both. Trades that were begun in another are settled. */
  readonly modes?: readonly Mode[];
  /** What one unit of the currency buys now; or why that is not sold, or not to that address. It changes nothing. */
  price(request: PoolPriceRequest): Promise<PoolPriceAnswer>;
  /** Throws when the result is unknown: it is asked again. `failed` is the last word, and says that no money has moved. */
  settle(order: PoolOrder): Promise<Settlement>;
}

/** What a pool's asset is asked to be priced for. */
export interface PoolPriceRequest {
  readonly scope: Scope;
  readonly asset: string;
  readonly network: string;
  readonly currency: string;
  readonly destAddress: string;
  readonly now: Instant;
}

/** A price, or why there is none. */
export type PoolPriceAnswer =
  | { readonly kind: 'price'; readonly price: PoolPrice }
  | { readonly kind: 'refused'; readonly code: PoolPriceRefusalCode; readonly message: string };

/** Why a pool cannot be priced. */
export type PoolPriceRefusalCode = 'corridor_not_supported' | 'asset_network_mismatch' | 'wallet_address_invalid';

/** A trade whose money is to be moved. */
export interface PoolOrder {
  readonly trade: PoolTrade;
  readonly now: Instant;
}
