interface Hosts {
  /** Origins, or URLs of which only the origin is used. */
  readonly api: string;
  readonly checkout: string;
}

/**
 * The strictest policy that allows a checkout. In addition to the shop's own resources it allows calls to the API (`connect-src`) and
 * framing the checkout (`frame-src`), the two directives that the browser SDK needs.
 */
export function securityHeaders({ api, checkout }: Hosts): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      `connect-src 'self' ${new URL(api).origin}`,
      `frame-src ${new URL(checkout).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
