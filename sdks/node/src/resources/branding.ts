import { type Branding as BrandingResource } from '../generated/resources.js';
import { type UpdateBranding } from '../generated/requests.js';
import { type CallOptions } from '../http/call.js';
import { type GatePromise } from '../http/gate-promise.js';
import { Resource } from './resource.js';

/** The appearance of the checkout, one for each mode. */
export class Branding extends Resource {
  retrieve(options?: CallOptions): GatePromise<BrandingResource> {
    return this.ask({ method: 'GET', path: '/v1/branding' }, options);
  }

  /** Members that are left out keep their value; null clears them. */
  update(body: UpdateBranding, options?: CallOptions): GatePromise<BrandingResource> {
    return this.ask({ method: 'POST', path: '/v1/branding', body, isKeyed: true }, options);
  }
}
