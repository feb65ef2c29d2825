import type { Mode } from '../mode.js';

/**
 * A URL's parts as the caller's URL parser saw them: the domain has no DOM. `origin` is what
 * browsers send in `Origin`, lower case, default port left out.
 */
export interface ParsedUrl {
  readonly protocol: string;
  readonly hostname: string;
  readonly origin: string;
  readonly hasCredentials: boolean;
}

/** Why a URL cannot be a return or cancel URL; null when it can. */
export function urlProblem(url: ParsedUrl | null, mode: Mode): string | null {
  if (url === null) return 'must be an absolute URL';
  if (url.hasCredentials) return 'must not contain a user name or password';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:' && isLoopback(url.hostname)) {
    return mode === 'test' ? null : 'must use https; http is accepted for loopback in test mode only';
  }
  return 'must use https';
}

/** Exact origins, no wildcards (spec: Authentication 7). */
export function isAllowedOrigin(allowed: readonly string[], origin: string): boolean {
  return allowed.includes(origin);
}

/** Whether a URL's host name is this machine, in any spelling a URL parser lets through. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Whether a buyer may be sent there: https, and on loopback, where a sandbox runs, http. */
export function isRedirectUrl(text: string): boolean {
  if (!isWebUrl(text) || text.includes('@')) return false;
  return /^https:/i.test(text) || /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?([/?#]|$)/i.test(text);
}

const URL_LENGTH_MAX = 2048;

/** Whether a text that a provider sends may become a link: absolute, http or https, and of a length that browsers take. */
export function isWebUrl(text: string): boolean {
  return text.length <= URL_LENGTH_MAX && /^https?:\/\/[^\s"<>\\]+$/i.test(text);
}
