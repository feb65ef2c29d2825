import { NO_SNIFF } from '../../../../design/page-files.js';

interface Frames {
  /** Origins that may frame the page. */
  readonly framedBy: readonly string[];
  /** The only origin that the page may frame; null if none. */
  readonly frames: string | null;
}

/** The headers of the page: no inline code, no third party, no framing unless the host names who may. */
export function pageHeaders({ framedBy, frames }: Frames): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      `frame-src ${frames ?? "'none'"}`,
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${framedBy.length === 0 ? "'none'" : framedBy.join(' ')}`,
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'geolocation=(), microphone=(), camera=()',
    ...NO_SNIFF,
  };
}
