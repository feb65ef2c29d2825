import {
  type Asset,
  type Country,
  type Currency,
  type Flow,
  type Limit,
  type Network,
  type PaymentMethod,
  type Ttl,
} from '../generated/capabilities.js';
import { type CallOptions } from '../http/call.js';
import { type ListPromise } from '../http/page.js';
import { onePage, Resource } from './resource.js';

/** The supported countries, currencies, assets, networks, payment methods, flows and limits. Every list has a single page. */
export class Capabilities extends Resource {
  /** A success also confirms that key, host and mode match. */
  countries(options?: CallOptions): ListPromise<Country> {
    return this.#all('countries', options);
  }

  currencies(options?: CallOptions): ListPromise<Currency> {
    return this.#all('currencies', options);
  }

  assets(options?: CallOptions): ListPromise<Asset> {
    return this.#all('assets', options);
  }

  networks(options?: CallOptions): ListPromise<Network> {
    return this.#all('networks', options);
  }

  paymentMethods(options?: CallOptions): ListPromise<PaymentMethod> {
    return this.#all('payment_methods', options);
  }

  flows(options?: CallOptions): ListPromise<Flow> {
    return this.#all('flows', options);
  }

  limits(options?: CallOptions): ListPromise<Limit> {
    return this.#all('limits', options);
  }

  /** The lifetimes of sessions, embed tokens, quotes, required actions and idempotency keys. */
  ttls(options?: CallOptions): ListPromise<Ttl> {
    return this.#all('ttls', options);
  }

  #all<Item>(name: string, options: CallOptions | undefined): ListPromise<Item> {
    return this.pages<Item>({ method: 'GET', path: `/v1/capabilities/${name}` }, options, onePage);
  }
}
