import { listTrades } from '../../application/pools/list-trades.js';
import { poolTradesResource } from '../../domain/pools/pool-resources.js';
import { endpoint } from '../endpoint.js';
import { idOf, pageLimit } from '../schema/list-query.js';
import { cursor, queryOf } from '../schema/query.js';
import { POOL_TRADES_PAGE } from './pool-schemas.js';
import { ACCESS_REFUSALS, POOLS_READ } from './pools-preset.js';

/** spec: Pools product. */
export const TRADES_LIMIT_DEFAULT = 50;

const LIST_TRADES_QUERY = queryOf({ cursor, limit: pageLimit(TRADES_LIMIT_DEFAULT) }, (given) => ({
  cursor: given.cursor === undefined ? null : idOf(given.cursor),
  limit: given.limit === undefined ? TRADES_LIMIT_DEFAULT : Number(given.limit),
}));

export const listTradesEndpoint = endpoint({
  ...POOLS_READ,
  name: 'listPoolTrades',
  path: '/v1/pools/trades',
  summary: 'List trades of all your pools, newest first',
  query: LIST_TRADES_QUERY,
  reply: POOL_TRADES_PAGE,
  refusals: [...ACCESS_REFUSALS, 'transaction_not_found'],
  run: async ({ engine, caller, query }) => {
    const page = await listTrades(engine, caller, query);
    return page.map(poolTradesResource);
  },
});
