import { err, ok, type Result } from 'neverthrow';
import type { ErrorCode } from '../error-code.js';
import type { Instant } from '../instant.js';
import { clientNetwork, isInNetworks } from '../limits/client-network.js';
import type { Mode } from '../mode.js';
import { refuse, type Refusal } from '../refusal.js';

/** `secret` keys are for servers; `publishable` keys may appear in a page. */
export type KeyType = 'secret' | 'publishable';

/** A key as presented, with the facts its text contains; not yet looked up. */
export interface PresentedKey {
  readonly text: string;
  readonly type: KeyType;
  readonly mode: Mode;
}

/** A key as stored, without its text. */
export interface ApiKey {
  readonly hash: string;
  readonly partnerId: string;
  readonly type: KeyType;
  readonly mode: Mode;
  /** The first characters, to identify keys in lists. */
  readonly prefix: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** What a secret key may be used for; absent: everything. */
  readonly scopes?: readonly KeyScope[] | undefined;
  /** The networks (CIDR) a secret key may be used from; absent: all. */
  readonly allowedIps?: readonly string[] | undefined;
  /** The second person's approval with which it was issued; absent: without one. */
  readonly approvalId?: string | undefined;
}

/** What a restricted secret key may do. `write` includes `read` of the same resource. */
export const KEY_SCOPES = [
  'sessions:read',
  'sessions:write',
  'transactions:read',
  'quotes:read',
  'quotes:write',
  'rails:read',
  'rails:write',
  'pools:read',
  'pools:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'branding:read',
  'branding:write',
  'test_helpers:write',
] as const;

/** One of `KEY_SCOPES`. */
export type KeyScope = (typeof KEY_SCOPES)[number];

const KEY = /^(sk|pk)_(test|live)_[0-9A-Za-z_]{8,200}$/;
const BEARER = /^Bearer +(\S+)$/i;

/** Parses `Authorization: Bearer <key>`. Its two refusals are the 401 responses that need no look-up. */
export function readBearer(
  header: string | null,
): Result<PresentedKey, Refusal<'missing_credential' | 'malformed_credential'>> {
  if (header === null || header.trim() === '') {
    return refuse('missing_credential', 'Send your API key as "Authorization: Bearer <key>".');
  }
  const text = BEARER.exec(header.trim())?.[1];
  const key = text === undefined ? null : parseKey(text);
  if (key === null) {
    return refuse('malformed_credential', 'The Authorization header must be "Bearer " and an API key (sk_… or pk_…).');
  }
  return ok(key);
}

/** Parses an API key; null if the text is not well formed. Does not check that the key exists. */
export function parseKey(text: string): PresentedKey | null {
  const parts = KEY.exec(text);
  if (parts === null) return null;
  return { text, type: parts[1] === 'sk' ? 'secret' : 'publishable', mode: parts[2] === 'test' ? 'test' : 'live' };
}

/** Base62 characters of a new key: 190 bits of entropy. */
export const KEY_RANDOM_LENGTH = 32;

/** The full key, shown once: `sk_test_…` or `pk_live_…`. */
export function keyText(type: KeyType, mode: Mode, random: string): string {
  return `${type === 'secret' ? 'sk' : 'pk'}_${mode}_${random}`;
}

/** Each mounted handler serves one mode. The check runs before any look-up (spec: Authentication 3). */
export function checkHost(
  key: PresentedKey,
  host: Mode,
): Result<PresentedKey, Refusal<'test_key_on_live' | 'live_key_on_sandbox'>> {
  if (key.mode === host) return ok(key);
  if (key.mode === 'test') {
    return refuse('test_key_on_live', 'This is the live host; test keys work on the sandbox host only.');
  }
  return refuse('live_key_on_sandbox', 'This is the sandbox host; live keys work on the live host only.');
}

/** Refuses a key of the other type with `wrong_key_type`. */
export function checkKeyType(key: PresentedKey, needed: KeyType): Result<PresentedKey, Refusal<'wrong_key_type'>> {
  if (key.type === needed) return ok(key);
  return refuse(
    'wrong_key_type',
    needed === 'secret'
      ? 'This endpoint needs a secret key (sk_…); a publishable key opens POST /v1/embed/bootstrap, and GET /v1/pools of the pools host.'
      : 'This endpoint needs a publishable key (pk_…). Never send a secret key from a browser.',
  );
}

/** Whether a stored key may be used. A revoked key is refused whatever `revokedAt` is, because the revoker's clock may be ahead. */
export function checkKeyLife(
  key: ApiKey,
  now: Instant,
): Result<ApiKey, Refusal<'revoked_api_key' | 'expired_api_key'>> {
  if (key.revokedAt !== null) {
    return refuse('revoked_api_key', 'This API key has been revoked.');
  }
  if (key.expiresAt !== null && now > key.expiresAt) {
    return refuse('expired_api_key', 'This API key has expired.');
  }
  return ok(key);
}

/** Whether the key would be valid for longer than now. A key without an expiry can only be shortened. */
export function isExtended({ expiresAt }: Pick<ApiKey, 'expiresAt'>, at: Instant): boolean {
  return expiresAt !== null && at > expiresAt;
}

/** Refuses a client outside the key's allow-list. `clientIp` is as the framework reports it. */
export function checkKeyAddress(
  { allowedIps }: Pick<ApiKey, 'allowedIps'>,
  clientIp: string,
): Result<null, Refusal<'ip_not_allowed'>> {
  if (allowedIps === undefined || isInNetworks(clientIp, allowedIps)) return ok(null);
  return refuse('ip_not_allowed', `This API key may not be used from ${clientNetwork(clientIp)}.`);
}

/** Refuses a key without the scope an endpoint needs; null where every key may call. */
export function checkKeyScope(
  { scopes }: Pick<ApiKey, 'scopes'>,
  needed: KeyScope | null,
): Result<null, Refusal<'insufficient_scope'>> {
  if (
    needed === null ||
    scopes === undefined ||
    scopes.some((scope) => scope === needed || includesRead(scope, needed))
  )
    return ok(null);
  return refuse('insufficient_scope', `This API key does not have the scope "${needed}".`);
}

function includesRead(scope: KeyScope, needed: KeyScope): boolean {
  return scope.endsWith(':write') && needed === scope.replace(/:write$/, ':read');
}

/** The refusal of an unknown key, which depends on its type (`docs/spec-notes.md` C12). */
export function unknownKey(
  type: KeyType,
): Result<never, Refusal<Extract<ErrorCode, 'invalid_api_key' | 'invalid_publishable_key'>>> {
  return type === 'secret'
    ? err({ code: 'invalid_api_key', message: 'No such API key.' })
    : err({ code: 'invalid_publishable_key', message: 'No such publishable key.' });
}

/** The part of a key that may be shown later: its type, mode and four characters. */
export function keyPrefix(text: string): string {
  return text.slice(0, 'sk_test_'.length + 4);
}

const KEY_ID_LENGTH = 16;

/** Identifies a key by the first characters of its hash, which reveal nothing about it. */
export function keyId({ hash }: Pick<ApiKey, 'hash'>): string {
  return hash.slice(0, KEY_ID_LENGTH);
}
