import { POOLS, TRADER } from '../cast.js';
import type { Ask } from '../command.js';
import { pick, type Known } from '../known.js';
import { owned, queryText } from './query-text.js';
import type { Target } from './target.js';

type PoolAsk = Extract<Ask, { to: 'pools' | 'quotePool' | 'transact' | 'balance' | 'trades' }>;

export function ofPools(ask: PoolAsk, known: Known): Pick<Target, 'path' | 'method' | 'body'> | null {
  switch (ask.to) {
    case 'pools':
      return { path: '/v1/pools' };
    case 'quotePool': {
      const { asset, network } = POOLS[ask.pool === 1 ? 1 : 0].terms;
      // Most requests to the second pool are for its own asset.
      const body = ask.pool === 1 && ask.body['asset'] === 'USDC' ? { ...ask.body, asset, network } : ask.body;
      return { method: 'POST', path: `/v1/pools/${poolId(ask.pool)}/quote`, body };
    }
    case 'transact': {
      const quote = pick(known.poolQuotes, ask.quote);
      if (quote === null) return null;
      const body = { quoteId: quote.id, destAddress: quote.destAddress, ...ask.body };
      return { method: 'POST', path: `/v1/pools/${quote.pool}/transact`, body };
    }
    case 'balance':
      return { path: `/v1/pools/${poolId(ask.pool)}/balance` };
    case 'trades':
      return { path: `/v1/pools/trades${queryText(ask.query, owned(known.trades, TRADER))}` };
  }
}

function poolId(nth: number): string {
  return POOLS[nth]?.terms.id ?? 'pool_of_nobody';
}
