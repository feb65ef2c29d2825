import type { Instant } from '../domain/instant.js';
import type { Scope } from '../domain/mode.js';
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
  /** The key as it is used in its scope (`docs/spec-notes.md` C1). */
  keySeal(scope: string, idempotencyKey: string): KeySeal;
  /** Under the present master key, its id included. With an `owner` it opens for that partner and mode only. */
  sealSecret(plain: string, owner?: Scope): string;
  /**
   * Throws when no known master key opens it, or when it was sealed for another owner: a configuration error, not a refusal. What was
   * sealed without an owner, as earlier versions did, opens for all.
   */
  openSecret(sealed: string, owner?: Scope): string;
  signToken(claims: TokenClaims, issuedAt: Instant, expiresAt: Instant): Promise<string>;
  verifyToken(token: string, now: Instant): Promise<TokenReading>;
}

/**
 * One idempotency key: what may be stored of it, and what it alone opens, together with this
 * installation. Everything here derives from pepper, scope and the raw key; the key itself is kept nowhere.
 */
export interface KeySeal {
  /** Names the key in stored rows. */
  readonly hash: string;
  /** Of what the key was used for. */
  fingerprint(text: string): string;
  /** The fingerprint is associated data: a reply opens for its own request only. */
  seal(text: string, fingerprint: string): string;
  /** Null when it was not sealed with this key and fingerprint. */
  open(sealed: string, fingerprint: string): string | null;
}

/** Claims of an embed token as text; null for those it was made without. */
export type TokenClaims = Readonly<Record<string, string | null>>;

/** What a presented token is; nothing in an invalid one may be trusted. */
export type TokenReading =
  | { readonly kind: 'valid'; readonly claims: TokenClaims }
  | { readonly kind: 'expired' }
  | { readonly kind: 'invalid' };
