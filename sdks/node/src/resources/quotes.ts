import { type ExecutableQuote, type QuotePreview } from '../generated/money.js';
import { type CreateQuote, type PreviewQuotes } from '../generated/requests.js';
import { path, type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { Resource } from './resource.js';

/** Prices: for display, or to execute over rails. */
export class Quotes extends Resource {
  /** Prices for every payment method, for display; preview quote ids cannot be used to pay. */
  preview(body: PreviewQuotes, options?: CallOptions): GatePromise<QuotePreview> {
    return this.ask({ method: 'POST', path: '/v1/quotes/preview', body }, options);
  }

  /** Creates a price for one pay-in or pay-out. Requires the rails entitlement. */
  create(body: CreateQuote, options?: CallOptions): GatePromise<ExecutableQuote> {
    return this.ask({ method: 'POST', path: '/v1/quotes', body, isKeyed: true }, options);
  }

  retrieve(id: string, options?: CallOptions): GatePromise<ExecutableQuote> {
    return this.ask({ method: 'GET', path: path`/v1/quotes/${id}` }, options);
  }
}
