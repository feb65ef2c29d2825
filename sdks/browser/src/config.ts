import { ConfigError, SecretKeyInBrowserError } from './errors.js';
import type { Environment } from './hosts.js';

/** What one checkout does: buy, sell or swap. */
export type Flow = 'on_ramp' | 'off_ramp' | 'swap';
/** How the checkout looks. */
export type Theme = 'light' | 'dark';

/** What a checkout is made of: the key, the session, and how it looks. */
export interface GateRampConfig {
  /** `pk_test_…` or `pk_live_…`. */
  readonly publishableKey: string;
  /** Of the session that your server has created (`gsec_…`); without it the checkout is bound to none. */
  readonly clientSecret?: string | undefined;
  /** Which hosts are used. Default `production`. */
  readonly environment?: Environment | undefined;
  /** Another host for the bootstrap. */
  readonly apiBaseUrl?: string | undefined;
  /** Another place of the checkout; an origin alone means its `/embed`. */
  readonly iframeUrl?: string | undefined;
  readonly theme?: Theme | undefined;
  /** Wished for where the session leaves it open. */
  readonly targetToken?: string | undefined;
  readonly targetNetwork?: string | undefined;
  /** Where the buyer goes on after a success, in place of the session's `return_url`; http or https. */
  readonly returnUrl?: string | undefined;
  /** With `never` the page stays after a success, for an `onSuccess` of its own. Default `auto`: it goes to `returnUrl` after 3 s. */
  readonly redirectOnSuccess?: 'auto' | 'never' | undefined;
  /** Locks the flow and hides the tabs; wins over the session's. */
  readonly flow?: Flow | undefined;
  /** Where the buyer is (ISO 3166-1, two letters), if the page knows: a checkout that does not serve the country says so at once. */
  readonly countryCode?: string | undefined;
  /** Fixes the height of the iframe, in px. Without it the iframe begins with 600 px and follows its content. */
  readonly height?: number | undefined;
  /** The most that the iframe grows to, in px. Default: no limit. */
  readonly maxHeight?: number | undefined;
  /** BCP 47, such as `de` or `ar`. Default: the page's `<html lang>`. */
  readonly locale?: string | undefined;
  /** What of the device the checkout may ask for beyond payment, such as `camera` for an identity check. */
  readonly permissions?: readonly string[] | undefined;
  /** Used in place of the page's `fetch`. */
  readonly fetchImpl?: typeof fetch | undefined;
}

/** Throws a `SecretKeyInBrowserError` or a `ConfigError`; neither repeats the key. */
export function checkKey(publishableKey: unknown): void {
  const key = typeof publishableKey === 'string' ? publishableKey : '';
  if (key.startsWith('sk_'))
    throw new SecretKeyInBrowserError('publishableKey is a secret key. Revoke it and use one that begins with pk_.');
  if (!/^pk_(test|live)_/.test(key)) throw new ConfigError('publishableKey must begin with pk_test_ or pk_live_.');
}

export function checkHeight(option: 'height' | 'maxHeight', height: unknown): void {
  if (height !== undefined && !isHeight(height)) throw new ConfigError(`${option} must be a positive number of px.`);
}

/** In px. */
export function isHeight(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < Infinity;
}

/** Absolute, and http or https: anything else could run in the page, or be an unintended host. */
export function isWebUrl(url: unknown): url is string {
  return /^https?:\/\//i.test(String(url)) && URL.canParse(String(url));
}

/** Throws a `ConfigError` that names the option. */
export function parsedUrl(option: string, url: unknown): URL {
  if (isWebUrl(url)) return new URL(url);
  throw new ConfigError(`${option} must be http(s).`);
}
