import { allowedOrigins, checkoutLook } from '../application/embed/embed-token.js';
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
  /**
   * How the checkout under this publishable key looks, so that its page shows the partner's name, logo and theme before anything else;
   * null where `allowedOrigins` is.
   */
  look(mode: Mode, publishableKey: string): Promise<CheckoutLook | null>;
}

/** The branding of a partner as its checkout's page takes it. */
export interface CheckoutLook {
  readonly display_name: string | null;
  readonly logo_url: string | null;
  readonly accent_color: string | null;
  readonly theme: 'light' | 'dark' | null;
}

export function inProcessEmbed(engine: Engine): Embed {
  return {
    allowedOrigins: async (mode, publishableKey) =>
      typeof publishableKey === 'string' ? allowedOrigins(engine, mode, publishableKey) : null,
    look: async (mode, publishableKey) => {
      const look = typeof publishableKey === 'string' ? await checkoutLook(engine, mode, publishableKey) : null;
      if (look === null) return null;
      const { displayName, logoUrl, accentColor, theme } = look;
      return { display_name: displayName, logo_url: logoUrl, accent_color: accentColor, theme };
    },
  };
}
