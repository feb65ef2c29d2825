import { allowedOrigins, checkoutLook } from '../application/embed/embed-token.js';
import type { Engine } from '../application/engine.js';
import type { Mode } from '../domain/mode.js';

/** The partner settings that the server of the checkout page needs. */
export interface Embed {
  /**
   * Origins that may frame the checkout of this publishable key, for `frame-ancestors`; null if the key is unknown, revoked, expired, of
   * the other mode or type, or of a partner that is not enabled for live mode. Changes to keys take effect with the usual delay.
   */
  allowedOrigins(mode: Mode, publishableKey: string): Promise<readonly string[] | null>;
  /**
   * The branding of this publishable key's checkout, so that its page shows the partner's name, logo and theme first; null in the same
   * cases as `allowedOrigins`. Also accepts the hash of the key, which is all that the return page of a bank has.
   */
  look(mode: Mode, publishableKey: string): Promise<CheckoutLook | null>;
}

/** A partner's branding as the checkout page expects it. */
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
