import { listPools } from '../../application/pools/list-pools.js';
import { poolsResource } from '../../domain/pools/pool-resources.js';
import { endpoint } from '../endpoint.js';
import { POOLS_PAGE } from './pool-schemas.js';
import { ACCESS_REFUSALS, POOLS_READ } from './pools-preset.js';

export const listPoolsEndpoint = endpoint({
  ...POOLS_READ,
  name: 'listPools',
  path: '/v1/pools',
  summary: 'List your pools',
  auth: 'any_key',
  reply: POOLS_PAGE,
  refusals: ACCESS_REFUSALS,
  run: async ({ engine, caller }) => {
    const pools = await listPools(engine, caller);
    return pools.map(poolsResource);
  },
});
