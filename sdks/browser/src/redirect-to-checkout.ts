import { checkKey, parsedUrl, type Theme } from './config.js';
import { ConfigError } from './errors.js';
import { withQuery } from './frame.js';
import { hostsOf, type Environment } from './hosts.js';

/** The options of a full-page checkout. */
export interface RedirectConfig {
  readonly publishableKey: string;
  /** Required: the full page always shows a session. */
  readonly clientSecret: string;
  readonly environment?: Environment | undefined;
  /** Overrides the address of the checkout; only its origin is used. */
  readonly iframeUrl?: string | undefined;
  readonly theme?: Theme | undefined;
}

/** Throws as the constructor of `GateRamp` does, and a `ConfigError` without a `clientSecret`. */
export function redirectToCheckout(config: RedirectConfig): void {
  location.assign(checkoutUrl(config));
}

/** The page removes the secret from its address before anything else. */
function checkoutUrl({ publishableKey, clientSecret, environment, iframeUrl, theme }: RedirectConfig): string {
  checkKey(publishableKey);
  if (!clientSecret) throw new ConfigError('redirectToCheckout needs a clientSecret.');
  const { widget } = hostsOf(environment, publishableKey);
  const url = new URL('/', parsedUrl('iframeUrl', iframeUrl ?? widget));
  return withQuery(url, { client_secret: clientSecret, publishableKey, theme });
}
