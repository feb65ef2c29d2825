import type { Mode } from '@gateramp/core';
import type { HttpWorld, Sent } from './world.js';

/** The contract of one endpoint, written independently of the engine. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly template: string;
  readonly auth: 'secret' | 'publishable' | 'embed' | 'none';
  readonly hosts: readonly Mode[];
  /** Requests per 60 s; `shared`: counts in the global tiers with all such routes; null: never throttled. */
  readonly limit: number | 'shared' | null;
  /** A response that its caller may cache, with an ETag; absent for others. */
  readonly cached?: true;
  /** The required entitlement; absent if every partner may call. */
  readonly product?: 'rails' | 'pools';
  readonly idempotency: 'required' | 'honoured' | 'ignored';
  readonly success: number;
  readonly cors: boolean;
  /** A request that succeeds with status `success`, including its credential. */
  readonly sample: (world: HttpWorld, mode: Mode) => Promise<Sample>;
}

export interface Sample {
  readonly path: string;
  readonly sent: Sent;
}
