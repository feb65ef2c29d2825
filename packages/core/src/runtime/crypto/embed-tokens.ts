import { webcrypto } from 'node:crypto';
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { epochSeconds, SECOND, type Instant } from '../../domain/instant.js';
import type { TokenClaims, TokenReading } from '../../ports/crypto.js';

const ALGORITHM = 'HS256';
const TYPE = 'gate-embed+jwt';
const AUDIENCE = 'gate-embed';

/** Signs and verifies embed tokens. `aud`, `iat` and `exp` are set here; other claims come from the caller. */
export interface EmbedTokens {
  sign(claims: TokenClaims, issuedAt: Instant, expiresAt: Instant): Promise<string>;
  verify(token: string, now: Instant): Promise<TokenReading>;
}

export async function embedTokens(secret: Uint8Array): Promise<EmbedTokens> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('raw', secret, hmac, false, ['sign', 'verify']);
  return {
    sign: (claims, issuedAt, expiresAt) =>
      new SignJWT(payloadOf(claims))
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setAudience(AUDIENCE)
        .setIssuedAt(epochSeconds(issuedAt))
        .setExpirationTime(expirySeconds(expiresAt))
        .sign(key),
    async verify(token, now) {
      if (!isCanonical(token)) return { kind: 'invalid' };
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          typ: TYPE,
          audience: AUDIENCE,
          requiredClaims: ['iat', 'exp'],
          currentDate: oneSecondBefore(now),
        });
        return readClaims(payload);
      } catch (error) {
        // jose checks the signature first, so only genuine tokens are reported as expired.
        if (error instanceof errors.JWTExpired) return { kind: 'expired' };
        if (error instanceof errors.JOSEError) return { kind: 'invalid' };
        throw error;
      }
    },
  };
}

/**
 * Whether the signature has its canonical encoding. Padding, another alphabet or stray bits at the end would decode to the same bytes, so
 * one token would have many texts. Header and claims are covered by the signature as written.
 */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** Rounded up, so that a token is never refused before its stated expiry. */
function expirySeconds(expiresAt: Instant): number {
  return Math.ceil(expiresAt / SECOND);
}

/** jose treats a token as expired at `exp` itself, where ours are still valid, so it gets the time of the second before. */
function oneSecondBefore(now: Instant): Date {
  return new Date((Math.ceil(now / SECOND) - 1) * SECOND);
}

/** Copied, because jose types registered claims as strings, while these may be null, which its signer writes unchanged. */
function payloadOf(claims: TokenClaims): JWTPayload {
  const payload: Record<string, unknown> = { ...claims };
  return payload;
}

function readClaims(payload: JWTPayload): TokenReading {
  const { aud: _aud, iat: _iat, exp: _exp, ...rest } = payload;
  const claims: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value !== 'string' && value !== null) return { kind: 'invalid' };
    claims[name] = value;
  }
  return { kind: 'valid', claims };
}
