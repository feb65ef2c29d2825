import type { Instant } from '../domain/instant.js';
import type { IdempotencyRef } from './change.js';
import type { Settings } from './store.js';

/**
 * Hashing, sealing and tokens. Keys stay inside; they derive from the master key and from a pepper
 * that is made once and kept sealed in the settings.
 */
export interface Crypto {
  /** Opens or makes the pepper. Must have resolved before anything below but `hash` and `hmacHex` is used. */
  open(settings: Settings): Promise<void>;
  /** SHA-256, hex: for high-entropy secrets that are looked up by what they hash to. */
  hash(text: string): string;
  /** Under a key of this installation and purpose: for what could be guessed. */
  keyedHash(purpose: string, text: string): string;
  /** HMAC-SHA256, hex, as webhook signatures use it. */
  hmacHex(key: string, text: string): string;
  /** Constant time in the content. */
  equal(a: string, b: string): boolean;
  /** Only `idempotencyKey` together with this installation opens it; the ref is associated data. */
  sealReply(text: string, idempotencyKey: string, ref: IdempotencyRef): string;
  /** Null when it was not sealed with this key and ref. */
  openReply(sealed: string, idempotencyKey: string, ref: IdempotencyRef): string | null;
  /** Under the present master key, its id included. */
  sealSecret(plain: string): string;
  /** Throws when no known master key opens it: a configuration fault, not a refusal. */
  openSecret(sealed: string): string;
  signToken(claims: TokenClaims, issuedAt: Instant, expiresAt: Instant): Promise<string>;
  verifyToken(token: string, now: Instant): Promise<TokenReading>;
}

export type TokenClaims = Readonly<Record<string, string | null>>;

export type TokenReading =
  | { readonly kind: 'valid'; readonly claims: TokenClaims }
  | { readonly kind: 'expired' }
  | { readonly kind: 'invalid' };
