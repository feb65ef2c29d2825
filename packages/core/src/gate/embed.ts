import { allowedOrigins } from '../application/embed/allowed-origins.js';
import type { Engine } from '../application/engine.js';
import type { Mode } from '../domain/mode.js';

/** What the host of the checkout's page needs to know of partners. */
export interface Embed {
  /**
   * Origins that may frame the checkout under this publishable key, for `frame-ancestors`; null for a key that is
   * unknown, revoked, expired, of the other mode or type, or of a partner who is not cleared for live. As stale as keys
   * may be.
   */
  allowedOrigins(mode: Mode, publishableKey: string): Promise<readonly string[] | null>;
}

export function inProcessEmbed(engine: Engine): Embed {
  return {
    allowedOrigins: async (mode, publishableKey) =>
      typeof publishableKey === 'string' ? allowedOrigins(engine, mode, publishableKey) : null,
  };
}
