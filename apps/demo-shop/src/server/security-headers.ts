interface Hosts {
  /** Origins, or addresses of which the origin counts. */
  readonly api: string;
  readonly checkout: string;
}

/**
 * The strictest policy that shows a checkout: next to what is the shop's own it may call the API (`connect-src`) and frame the checkout
 * (`frame-src`), the two directives that the browser SDK asks for.
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
