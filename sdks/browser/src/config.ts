import { ConfigError, SecretKeyInBrowserError } from './errors.js';
import type { Environment } from './hosts.js';

/** The operation of a checkout: buy, sell or swap. */
export type Flow = 'on_ramp' | 'off_ramp' | 'swap';
/** The appearance of the checkout. */
export type Theme = 'light' | 'dark';

/** The options of a checkout. */
export interface GateRampConfig {
  /** `pk_test_…` or `pk_live_…`. */
  readonly publishableKey: string;
  /** The secret of the session that your server has created (`gsec_…`); without it the checkout has no session. */
  readonly clientSecret?: string | undefined;
  /** Selects the default hosts. Default `production`. */
  readonly environment?: Environment | undefined;
  /** Overrides the API host for the bootstrap. */
  readonly apiBaseUrl?: string | undefined;
  /** Overrides the address of the checkout; an origin alone means its `/embed`. */
  readonly iframeUrl?: string | undefined;
  readonly theme?: Theme | undefined;
  /** The preferred token, if the session leaves it open. */
  readonly targetToken?: string | undefined;
  readonly targetNetwork?: string | undefined;
  /** Where to redirect the buyer after a success, instead of the session's `return_url`; http or https. */
  readonly returnUrl?: string | undefined;
  /** With `never` the page stays after a success, for its own `onSuccess`. Default `auto`: redirects to `returnUrl` after 3 s. */
  readonly redirectOnSuccess?: 'auto' | 'never' | undefined;
  /** Locks the flow and hides the tabs; overrides the session's flow. */
  readonly flow?: Flow | undefined;
  /** The buyer's country (ISO 3166-1, two letters), if the page knows it: an unsupported country is then reported at once. */
  readonly countryCode?: string | undefined;
  /** The height of the iframe in px, 600 by default, or `auto` to follow the checkout, from 320 px. */
  readonly height?: number | 'auto' | undefined;
  /** The maximum height in px with `height: 'auto'`. Default: no limit. */
  readonly maxHeight?: number | undefined;
  /** BCP 47, such as `de` or `ar`. Default: the page's `<html lang>`. */
  readonly locale?: string | undefined;
  /** Device permissions beyond payment, such as `camera` for an identity check. */
  readonly permissions?: readonly string[] | undefined;
  /** Replaces the page's `fetch`. */
  readonly fetchImpl?: typeof fetch | undefined;
}

/** Throws a `SecretKeyInBrowserError` or a `ConfigError`; neither repeats the key. */
export function checkKey(publishableKey: unknown): void {
  const key = typeof publishableKey === 'string' ? publishableKey : '';
  if (key.startsWith('sk_'))
    throw new SecretKeyInBrowserError('publishableKey is a secret key. Revoke it and use one that begins with pk_.');
  if (!/^pk_(test|live)_/.test(key)) throw new ConfigError('publishableKey must begin with pk_test_ or pk_live_.');
}

export function checkHeights({ height, maxHeight }: Pick<GateRampConfig, 'height' | 'maxHeight'>): void {
  if (height !== undefined && height !== 'auto' && !isHeight(height))
    throw new ConfigError("height must be 'auto' or a positive number of px.");
  if (maxHeight !== undefined && !isHeight(maxHeight))
    throw new ConfigError('maxHeight must be a positive number of px.');
}

/** A height in px. */
export function isHeight(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Infinity;
}

/** Whether the URL is absolute with http or https: any other could run script in the page, or point to an unintended host. */
export function isWebUrl(url: unknown): url is string {
  return /^https?:\/\//i.test(String(url)) && URL.canParse(String(url));
}

/** Throws a `ConfigError` that names the option. */
export function parsedUrl(option: string, url: unknown): URL {
  if (isWebUrl(url)) return new URL(url);
  throw new ConfigError(`${option} must be http(s).`);
}
