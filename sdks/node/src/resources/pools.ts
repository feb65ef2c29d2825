import { type PoolBalance, type PoolQuote, type Pools as PoolsAnswer, type PoolTrade } from '../generated/money.js';
import { type ListPoolTradesQuery } from '../generated/queries.js';
import { type QuotePool, type TransactPool } from '../generated/requests.js';
import { path, type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { type ListPromise } from '../http/page.js';
import { onePage, Resource } from './resource.js';

/** One pool, as returned by `list`. */
export type Pool = PoolsAnswer['data'][number];

/** The pools product: live keys only, on a separate host, with names in camelCase. */
export class Pools extends Resource {
  list(options?: CallOptions): ListPromise<Pool> {
    return this.pages<Pool>({ method: 'GET', path: '/v1/pools', host: 'pools' }, options, onePage);
  }

  /** Creates a quote that is valid for 30 seconds. */
  quote(poolId: string, body: QuotePool, options?: CallOptions): GatePromise<PoolQuote> {
    const at = path`/v1/pools/${poolId}/quote`;
    return this.ask({ method: 'POST', path: at, host: 'pools', body, isKeyed: true }, options);
  }

  /** Executes a quote, once: the same `quoteId` is the same trade, under any key. */
  transact(poolId: string, body: TransactPool, options?: CallOptions): GatePromise<PoolTrade> {
    const at = path`/v1/pools/${poolId}/transact`;
    return this.ask({ method: 'POST', path: at, host: 'pools', body, isKeyed: true }, options);
  }

  balance(poolId: string, options?: CallOptions): GatePromise<PoolBalance> {
    return this.ask({ method: 'GET', path: path`/v1/pools/${poolId}/balance`, host: 'pools' }, options);
  }

  /** Trades of all your pools, newest first. */
  trades(query: ListPoolTradesQuery = {}, options?: CallOptions): ListPromise<PoolTrade> {
    return this.pages<PoolTrade>({ method: 'GET', path: '/v1/pools/trades', host: 'pools', query }, options, {
      nextQuery: ({ data }) => ({ cursor: data.at(-1)?.transactId }),
    });
  }
}
