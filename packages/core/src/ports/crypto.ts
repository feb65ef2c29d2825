import type { Instant } from '../domain/instant.js';
import type { Scope } from '../domain/mode.js';
import type { Contracted } from './contract.js';
import type { Settings } from './store.js';

/**
 * Hashing, encryption and tokens. Keys never leave the implementation. They derive from the master key and from a pepper, which is
 * generated once and stored encrypted in the settings.
 */
export interface Crypto extends Contracted {
  /** Loads or creates the pepper. Must resolve before any method except `hash` and `hmacHex` is used. */
  open(settings: Settings): Promise<void>;
  /** SHA-256 in hex, for high-entropy secrets that are looked up by their hash. */
  hash(text: string): string;
  /** Keyed by the installation and purpose, for guessable values. */
  keyedHash(purpose: string, text: string): string;
  /** HMAC-SHA256 in hex, as used by webhook signatures. */
  hmacHex(key: string, text: string): string;
  /** Constant-time comparison. */
  equal(a: string, b: string): boolean;
  /** The seal of an idempotency key in its scope (`docs/spec-notes.md` C1). */
  keySeal(scope: string, idempotencyKey: string): KeySeal;
  /** Encrypts with the current master key and includes its id. With an `owner`, only that partner and mode can decrypt it. */
  sealSecret(plain: string, owner?: Scope): string;
  /**
   * Throws a `MasterKeyMissingError` if its master key is not known, a configuration error, and another `SealedTextError` if it was
   * altered or encrypted for another owner. Secrets encrypted without an owner, as by earlier versions, can be decrypted for all.
   */
  openSecret(sealed: string, owner?: Scope): string;
  signToken(claims: TokenClaims, issuedAt: Instant, expiresAt: Instant): Promise<string>;
  verifyToken(token: string, now: Instant): Promise<TokenReading>;
}

/** A stored text cannot be decrypted. The message says why. */
export class SealedTextError extends Error {
  override readonly name: string = 'SealedTextError';
}

/** A stored text was encrypted with a master key that is not configured. */
export class MasterKeyMissingError extends SealedTextError {
  override readonly name = 'MasterKeyMissingError';
}

/**
 * One idempotency key: what is stored of it, and what only this key and installation can decrypt. Everything derives from pepper, scope and
 * the raw key; the key itself is never stored.
 */
export interface KeySeal {
  /** Identifies the key in stored rows. */
  readonly hash: string;
  /** Keyed hash of the request that uses the key. */
  fingerprint(text: string): string;
  /** The fingerprint is associated data: a reply can be decrypted only for its own request. */
  seal(text: string, fingerprint: string): string;
  /** Null if it was not sealed with this key and fingerprint. */
  open(sealed: string, fingerprint: string): string | null;
}

/** Claims of an embed token as text; null if absent. */
export type TokenClaims = Readonly<Record<string, string | null>>;

/** The result of verifying a token. An invalid token carries no claims. */
export type TokenReading =
  | { readonly kind: 'valid'; readonly claims: TokenClaims }
  | { readonly kind: 'expired' }
  | { readonly kind: 'invalid' };
