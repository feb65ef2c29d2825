/** Liquidity pools: a partner quotes and trades against funds that an operator deposits. Live mode only, on a host of its own. */
import { type Extension, GateArgumentError } from '@gateramp/core/extension';
import type { GateHost } from '@gateramp/core/http';
import { type PoolAdministration, poolAdministration } from './administration.js';
import { poolEndpoints, POOLS_HOST } from './endpoints.js';
import { findTrades } from './lookup.js';
import type { PoolProvider } from './pool-provider.js';
import { SETTLEMENT, settleTrade } from './transact-pool.js';

export type { PoolAdministration } from './administration.js';
export type {
  PoolOrder,
  PoolPriceAnswer,
  PoolPriceRefusalCode,
  PoolPriceRequest,
  PoolProvider,
} from './pool-provider.js';
export type { PoolPrice } from './pool-quote.js';
export type { PoolTrade, Settlement } from './pool-trade.js';

/** The calls in process: `gate.pools.quote(…)`. */
interface PoolCalls {
  readonly pools: ReturnType<typeof poolEndpoints>;
}

/** What the extension adds to a gate. */
interface PoolsFace {
  /** The host of the pools product, on its own address: `expressGate(gate.poolsHost, { mode: 'live' })`. Live mode only. */
  readonly poolsHost: GateHost;
}

/** The pools product, as `createGate` takes it among its `extensions`. */
export interface Pools extends Extension<{ readonly pools: PoolCalls['pools'] }, PoolAdministration, PoolsFace> {
  readonly provider: PoolProvider;
}

/**
 * The pools product. Without a provider, such as in a process that only administers, pools cannot be quoted, and trades wait for a process
 * that can settle them.
 */
export function pools(provider: PoolProvider = noProvider): Pools {
  const problems = (['price', 'settle'] as const)
    .filter((method) => typeof provider[method] !== 'function')
    .map((method) => `The provider lacks ${method}. Pass the provider that its factory returns.`);
  if (problems.length > 0) throw new GateArgumentError('pools received an invalid provider', problems);
  const endpoints = poolEndpoints(provider);
  return {
    contract: 2,
    name: 'pools',
    provider,
    hosts: [POOLS_HOST],
    endpoints: Object.values(endpoints),
    calls: { pools: endpoints },
    tasks: { [SETTLEMENT]: (engine, task) => settleTrade({ engine, provider }, task) },
    open: ({ hostOf }) => ({ admin: poolAdministration, face: { poolsHost: hostOf(POOLS_HOST) } }),
    lookup: findTrades,
  };
}

const noProvider: PoolProvider = {
  price: () =>
    Promise.resolve({ kind: 'refused', code: 'corridor_not_supported', message: 'No provider quotes this pool.' }),
  settle: () => Promise.reject(new Error('A trade is due to be settled, but this process has no provider of pools.')),
};
