import { type Transaction } from '../generated/money.js';
import { type ListTransactionsQuery } from '../generated/queries.js';
import { path, type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { type ListPromise } from '../http/page.js';
import { byId, Resource } from './resource.js';

/** The money of each payment. */
export class Transactions extends Resource {
  /** Retrieves a transaction by the `tx_refid` of a completed session. */
  retrieve(refid: string, options?: CallOptions): GatePromise<Transaction> {
    return this.ask({ method: 'GET', path: path`/v1/transactions/${refid}` }, options);
  }

  /** Newest first. */
  list(query: ListTransactionsQuery = {}, options?: CallOptions): ListPromise<Transaction> {
    return this.pages<Transaction>({ method: 'GET', path: '/v1/transactions', query }, options, byId);
  }
}
