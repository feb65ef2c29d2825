import { type ExecutableQuote, type QuotePreview } from '../generated/money.js';
import { type CreateQuote, type PreviewQuotes } from '../generated/requests.js';
import { path, type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { Resource } from './resource.js';

/** Prices: to look at, or to execute over rails. */
export class Quotes extends Resource {
  /** A price for every payment method, to be shown; its ids can be executed nowhere. */
  preview(body: PreviewQuotes, options?: CallOptions): GatePromise<QuotePreview> {
    return this.ask({ method: 'POST', path: '/v1/quotes/preview', body }, options);
  }

  /** A price that one pay-in or pay-out may be made at. Needs the rails entitlement. */
  create(body: CreateQuote, options?: CallOptions): GatePromise<ExecutableQuote> {
    return this.ask({ method: 'POST', path: '/v1/quotes', body, isKeyed: true }, options);
  }

  retrieve(id: string, options?: CallOptions): GatePromise<ExecutableQuote> {
    return this.ask({ method: 'GET', path: path`/v1/quotes/${id}` }, options);
  }
}
