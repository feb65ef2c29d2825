import { type PayIn, type PayOut } from '../generated/money.js';
import { type ListPayInsQuery, type ListPayOutsQuery } from '../generated/queries.js';
import { type CreatePayIn, type CreatePayOut } from '../generated/requests.js';
import { path, type CallOptions } from '../http/call.js';
import { type Client } from '../http/client.js';
import { type GatePromise } from '../http/gate-promise.js';
import { type ListPromise } from '../http/page.js';
import { byId, Resource } from './resource.js';

/** Payments without a checkout. Requires the rails entitlement. */
export class Rails {
  readonly payIns: RailPayments<PayIn, CreatePayIn, ListPayInsQuery>;
  readonly payOuts: RailPayments<PayOut, CreatePayOut, ListPayOutsQuery>;

  constructor(client: Client) {
    this.payIns = new RailPayments(client, '/v1/rails/pay_ins');
    this.payOuts = new RailPayments(client, '/v1/rails/pay_outs');
  }
}

/** Pay-ins or pay-outs: each uses one quote. */
class RailPayments<Payment extends PayIn | PayOut, Body extends object, Query extends object> extends Resource {
  readonly #path: string;

  constructor(client: Client, at: string) {
    super(client);
    this.#path = at;
  }

  create(body: Body, options?: CallOptions): GatePromise<Payment> {
    return this.ask({ method: 'POST', path: this.#path, body, isKeyed: true }, options);
  }

  retrieve(id: string, options?: CallOptions): GatePromise<Payment> {
    return this.ask({ method: 'GET', path: `${this.#path}${path`/${id}`}` }, options);
  }

  /** Newest first. */
  list(query?: Query, options?: CallOptions): ListPromise<Payment> {
    return this.pages<Payment>({ method: 'GET', path: this.#path, query }, options, byId);
  }

  /**
   * Cancels a payment that is `requires_action`; otherwise throws ConflictError `intent_not_confirmable`. It takes no idempotency key: if
   * its response was lost and the retry finds the payment cancelled, that payment is returned.
   */
  cancel(id: string, options?: CallOptions): GatePromise<Payment> {
    const call = { method: 'POST', path: `${this.#path}${path`/${id}/cancel`}` } as const;
    return this.ask(call, options, async ({ code }) => {
      if (code !== 'intent_not_confirmable') return null;
      const found = await this.retrieve(id, options).withResponse();
      return found.data.status === 'cancelled' ? found : null;
    });
  }
}
