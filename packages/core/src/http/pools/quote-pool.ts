import { quotePool } from '../../application/pools/quote-pool.js';
import { poolQuoteResource } from '../../domain/pools/pool-resources.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { KEY_REFUSALS } from '../presets.js';
import { POOL_QUOTE } from './pool-schemas.js';
import { POOL_REFUSALS, POOLS_WRITE } from './pools-preset.js';
import { QUOTE_POOL_BODY } from './quote-pool-body.js';

export const quotePoolEndpoint = endpoint({
  ...POOLS_WRITE,
  name: 'quotePool',
  path: '/v1/pools/{id}/quote',
  summary: 'Create a quote for a pool',
  idempotency: 'honoured',
  body: QUOTE_POOL_BODY,
  reply: POOL_QUOTE,
  refusals: [
    ...KEY_REFUSALS,
    ...POOL_REFUSALS,
    'off_ramp_not_available',
    'asset_network_mismatch',
    'corridor_not_supported',
    'wallet_address_invalid',
    'amount_below_minimum',
    'amount_above_maximum',
  ],
  run: async ({ engine, caller, params, body, keyed, answer }) => {
    const asked = { poolId: param(params, 'id'), request: body };
    const quote = await quotePool(engine, caller, asked, keyed(poolQuoteResource));
    return quote.map((answered) => answer(answered, poolQuoteResource));
  },
});
