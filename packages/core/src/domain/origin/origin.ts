import type { Mode } from '../mode.js';

/**
 * The parts of a URL that the caller parsed, because the domain has no DOM. `origin` is as browsers send it in `Origin`: lower case,
 * without the default port.
 */
export interface ParsedUrl {
  readonly protocol: string;
  readonly hostname: string;
  readonly origin: string;
  readonly hasCredentials: boolean;
}

/** Why a URL cannot be used as a return or cancel URL; null if it can. */
export function urlProblem(url: ParsedUrl | null, mode: Mode): string | null {
  if (url === null) return 'must be an absolute URL';
  if (url.hasCredentials) return 'must not contain a user name or password';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:' && isLoopback(url.hostname)) {
    return mode === 'test' ? null : 'must use https; http is accepted for loopback in test mode only';
  }
  return 'must use https';
}

const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const ORIGIN = new RegExp(`^https?://(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-f:.]+\\])(?::\\d{1,5})?$`);
const ORIGIN_LENGTH_MAX = 255;

/**
 * Whether the text has the form of an origin: scheme, host labels of letters, digits and inner hyphens or an IP literal, and port. Origins
 * become parts of security headers, and URL parsers accept `;`, `,` and `'` in host names.
 */
export function isOriginText(text: string): boolean {
  return text.length <= ORIGIN_LENGTH_MAX && ORIGIN.test(text);
}

/** Exact match, no wildcards (spec: Authentication 7). */
export function isAllowedOrigin(allowed: readonly string[], origin: string): boolean {
  return allowed.includes(origin);
}

/** Whether a URL's host name is this machine, in any form that a URL parser lets through. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Whether a buyer may be redirected to the URL: https, or http on loopback, where a sandbox may run. */
export function isRedirectUrl(text: string): boolean {
  if (!isWebUrl(text) || text.includes('@')) return false;
  return /^https:/i.test(text) || /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?([/?#]|$)/i.test(text);
}

const URL_LENGTH_MAX = 2048;

/** Whether a provider's URL may become a link: absolute, http or https, and within the length that browsers accept. */
export function isWebUrl(text: string): boolean {
  return text.length <= URL_LENGTH_MAX && /^https?:\/\/[^\s"<>\\]+$/i.test(text);
}
