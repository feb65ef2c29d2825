import type { Mode } from '@gateramp/core';
import type { HttpWorld, Sent } from './world.js';

/** What the contract says of one endpoint, written down apart from the engine. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly template: string;
  readonly auth: 'secret' | 'publishable' | 'embed' | 'none';
  readonly hosts: readonly Mode[];
  /** Requests per 60 s; `shared`: it counts in the global tiers with all such routes; null: never throttled. */
  readonly limit: number | 'shared' | null;
  /** An answer that its caller may keep, tagged; left out where it is not. */
  readonly cached?: true;
  /** The entitlement without which the partner is refused; left out where every partner may call. */
  readonly product?: 'rails' | 'pools';
  readonly idempotency: 'required' | 'honoured' | 'ignored';
  readonly success: number;
  readonly cors: boolean;
  /** A request that is answered with `success`, its credential included. */
  readonly sample: (world: HttpWorld, mode: Mode) => Promise<Sample>;
}

export interface Sample {
  readonly path: string;
  readonly sent: Sent;
}
