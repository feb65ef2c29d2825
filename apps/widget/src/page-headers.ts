import { NO_SNIFF } from '../../../design/page-files.js';

interface PageSource {
  /** The origin of the API, the only other origin that the page may connect to; null for a page that makes no calls. */
  readonly apiOrigin: string | null;
  /** Origins that may frame the page; empty when none may. */
  readonly framedBy: readonly string[];
  /** Whether the page asks its own host to resolve names to addresses. */
  readonly resolvesNames: boolean;
  /** Origins of the provider components that the page may frame. */
  readonly frames: readonly string[];
}

/**
 * The headers of the page. They forbid inline code, `eval` and turning strings into markup or script, and allow connections to this service
 * and its API only; a partner's logo may come from any https URL. No referrer is sent, since the URL of the full page contains a client
 * secret.
 */
export function pageHeaders({
  apiOrigin,
  framedBy,
  frames,
  resolvesNames,
}: PageSource): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' https: blob:",
      `connect-src ${apiOrigin ?? "'none'"}${resolvesNames ? " 'self'" : ''}`,
      `frame-src ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${framedBy.length === 0 ? "'none'" : framedBy.join(' ')}`,
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'geolocation=(), microphone=()',
    ...NO_SNIFF,
  };
}
