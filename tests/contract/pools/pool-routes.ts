import { TEST_KEYS } from '@gateramp/testing';
import { freshKey, type HttpWorld, type Route, type Sent, WALLET } from '../kit.js';
import { openPool, POOL, QUOTE_BODY, quoteId } from './pool-calls.js';

/** The contract of one endpoint of the pools host, written independently of the engine. */
export interface PoolRoute extends Pick<Route, 'method' | 'template' | 'success'> {
  /** Whether a publishable key may call it. */
  readonly isDiscovery: boolean;
  /** Whether it concerns one pool, and has refusals for that pool. */
  readonly ofPool: boolean;
  readonly sample: (world: HttpWorld) => Promise<{ readonly path: string; readonly sent: Sent }>;
}

const key = TEST_KEYS.secret.live;
const own = { isDiscovery: false, ofPool: true } as const;

export const POOL_ROUTES: readonly PoolRoute[] = [
  {
    method: 'GET',
    template: '/v1/pools',
    success: 200,
    isDiscovery: true,
    ofPool: false,
    sample: async () => ({ path: '/v1/pools', sent: { key } }),
  },
  {
    ...own,
    method: 'POST',
    template: '/v1/pools/{id}/quote',
    success: 201,
    sample: async (world) => {
      await openPool(world);
      return { path: `/v1/pools/${POOL}/quote`, sent: { key, body: QUOTE_BODY } };
    },
  },
  {
    ...own,
    method: 'POST',
    template: '/v1/pools/{id}/transact',
    success: 201,
    sample: async (world) => {
      await openPool(world);
      const body = { quoteId: await quoteId(world), destAddress: WALLET };
      return { path: `/v1/pools/${POOL}/transact`, sent: { key, idempotencyKey: freshKey(), body } };
    },
  },
  {
    ...own,
    method: 'GET',
    template: '/v1/pools/{id}/balance',
    success: 200,
    sample: async (world) => {
      await openPool(world);
      return { path: `/v1/pools/${POOL}/balance`, sent: { key } };
    },
  },
  {
    method: 'GET',
    template: '/v1/pools/trades',
    success: 200,
    isDiscovery: false,
    ofPool: false,
    sample: async () => ({ path: '/v1/pools/trades', sent: { key } }),
  },
];
