export interface TokenClaims {
  /** The page that the token was issued for. */
  readonly origin: string;
  /** Whether it is one of a session. */
  readonly isBound: boolean;
  /** Instant on the service's clock; null where it says none. */
  readonly issuedAt: number | null;
}

/** The claims of an embed token; null for other text. Whether it is genuine is the API's to say. */
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
