import { readBalance } from '../../application/pools/read-balance.js';
import { poolBalanceResource } from '../../domain/pools/pool-resources.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { POOL_BALANCE } from './pool-schemas.js';
import { POOL_REFUSALS, POOLS_READ } from './pools-preset.js';

export const readBalanceEndpoint = endpoint({
  ...POOLS_READ,
  name: 'readPoolBalance',
  path: '/v1/pools/{id}/balance',
  summary: 'Retrieve the balance of a pool',
  reply: POOL_BALANCE,
  refusals: POOL_REFUSALS,
  run: async ({ engine, caller, params }) => {
    const read = await readBalance(engine, caller, param(params, 'id'));
    return read.map(poolBalanceResource);
  },
});
