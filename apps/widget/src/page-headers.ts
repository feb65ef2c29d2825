interface PageSource {
  /** Where the page calls: the one origin it may connect to. */
  readonly apiOrigin: string;
  /** Who may show the page in a frame; empty: no page. */
  readonly framedBy: readonly string[];
  /** Whether it asks its own host for the addresses of names. */
  readonly resolvesNames: boolean;
  /** Whose components the page may frame. */
  readonly frames: readonly string[];
}

/**
 * Headers of the page. Nothing inline, nothing evaluated, no string becomes markup or script, and only this service and
 * its API are spoken to; a partner's logo may come from any https address. The address is never sent on, since the full
 * page arrives with a client secret in it.
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
      `connect-src ${apiOrigin}${resolvesNames ? " 'self'" : ''}`,
      `frame-src ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${framedBy.length === 0 ? "'none'" : framedBy.join(' ')}`,
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'geolocation=(), microphone=()',
    ...COMMON,
  };
}

export const COMMON = { 'x-content-type-options': 'nosniff' } as const;

/** A file whose name changes with its contents is kept for good. */
export const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'Accept-Encoding',
  ...COMMON,
} as const;
