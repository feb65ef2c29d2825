import { checkKey, parsedUrl, type Theme } from './config.js';
import { ConfigError } from './errors.js';
import { withQuery } from './frame.js';
import { hostsOf, type Environment } from './hosts.js';

/** What a full-page checkout is opened with. */
export interface RedirectConfig {
  readonly publishableKey: string;
  /** The full page shows a session, never none. */
  readonly clientSecret: string;
  readonly environment?: Environment | undefined;
  /** Another place of the checkout; of it the origin counts. */
  readonly iframeUrl?: string | undefined;
  readonly theme?: Theme | undefined;
}

/** Throws as the constructor of `GateRamp` does, and a `ConfigError` without a `clientSecret`. */
export function redirectToCheckout(config: RedirectConfig): void {
  location.assign(checkoutUrl(config));
}

/** The page takes the secret out of its address before it does anything else. */
function checkoutUrl({ publishableKey, clientSecret, environment, iframeUrl, theme }: RedirectConfig): string {
  checkKey(publishableKey);
  if (!clientSecret) throw new ConfigError('redirectToCheckout needs a clientSecret.');
  const { widget } = hostsOf(environment, publishableKey);
  const url = new URL('/', parsedUrl('iframeUrl', iframeUrl ?? widget));
  return withQuery(url, { client_secret: clientSecret, publishableKey, theme });
}
