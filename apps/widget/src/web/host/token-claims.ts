export interface TokenClaims {
  /** The origin of the page that the token was issued for. */
  readonly origin: string;
  /** Whether the token is bound to a session. */
  readonly isBound: boolean;
  /** An instant on the service's clock; null if the token has no such claim. */
  readonly issuedAt: number | null;
}

/** The unverified claims of an embed token; null for other text. Only the API verifies the signature. */
export function claimsOfToken(token: string): TokenClaims | null {
  try {
    const payload = token.split('.')[1] ?? '';
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof claims !== 'object' || claims === null || !('origin' in claims)) return null;
    const { origin } = claims;
    if (typeof origin !== 'string') return null;
    return {
      origin,
      isBound: 'session' in claims && typeof claims.session === 'string',
      issuedAt: 'iat' in claims && typeof claims.iat === 'number' ? claims.iat * 1000 : null,
    };
  } catch {
    return null;
  }
}
