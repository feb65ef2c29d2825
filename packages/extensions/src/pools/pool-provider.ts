import type { Instant, Mode, Scope } from '@gateramp/core/domain';
import type { PoolPrice } from './pool-quote.js';
import type { PoolTrade, Settlement } from './pool-trade.js';

/**
 * Prices pools and settles their trades. Law: `settle` is idempotent on `trade.operationId`. The first call starts the settlement, later
 * calls return its state, and an ended settlement keeps its result. A call whose answer was lost can therefore be repeated.
 */
export interface PoolProvider {
  /** Modes in which it accepts quotes and trades; both by default. Existing trades of other modes are still settled. */
  readonly modes?: readonly Mode[];
  /** The current price of one unit of currency, or why the asset is not sold, or not to that address. Changes nothing. */
  price(request: PoolPriceRequest): Promise<PoolPriceAnswer>;
  /** Throws if the result is unknown; the call is then repeated. `failed` is final and means that no money has moved. */
  settle(order: PoolOrder): Promise<Settlement>;
}

/** A request to price a pool's asset. */
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

/** A trade to settle. */
export interface PoolOrder {
  readonly trade: PoolTrade;
  readonly now: Instant;
}
