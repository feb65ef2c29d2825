import { err, ok, type Result } from 'neverthrow';
import { readEmbedToken } from '../../application/embed/embed-token.js';
import type { Engine } from '../../application/engine.js';
import {
  type ApiKey,
  checkKeyAddress,
  checkKeyLife,
  checkKeyScope,
  checkKeyType,
  keyId,
  type KeyScope,
  type KeyType,
  readBearer,
  unknownKey,
} from '../../domain/keys/api-key.js';
import type { Mode, Scope } from '../../domain/mode.js';
import { isEntitled, isSuspended, type Partner, PARTNER_SUSPENDED } from '../../domain/partner/partner.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { AnyEndpoint, Auth, Callers } from '../endpoint.js';
import type { Host } from '../hosts.js';
import { headerOf, type HttpRequest } from '../message.js';

type Authenticated = Promise<Result<Callers[Auth], Refusal>>;

/**
 * Authenticates the caller in the contract's order: format, host, type, look-up, validity, address, live access, suspension, scope. The
 * host check runs before any look-up (spec: Authentication 3).
 */
export function authenticate(
  engine: Engine,
  endpoint: Pick<AnyEndpoint, 'auth' | 'scope'>,
  host: Host,
  request: HttpRequest,
): Authenticated {
  const { auth, scope } = endpoint;
  switch (auth) {
    case 'none':
      return Promise.resolve(ok(null));
    case 'secret':
    case 'publishable':
      return byKey(engine, { needed: auth, scope }, host, request);
    case 'any_key':
      return byKey(engine, { needed: null, scope }, host, request);
    case 'embed':
      return byEmbedToken(engine, host.mode, request);
  }
}

/** A null `needed` accepts keys of both types. */
async function byKey(
  engine: Engine,
  { needed, scope }: { readonly needed: KeyType | null; readonly scope: KeyScope | null },
  host: Host,
  request: HttpRequest,
): Authenticated {
  const presented = readBearer(headerOf(request, 'authorization'));
  if (presented.isErr()) return err(presented.error);
  const onHost = host.checkKey(presented.value);
  if (onHost.isErr()) return err(onHost.error);
  const type = needed ?? presented.value.type;
  const ofType = checkKeyType(presented.value, type);
  if (ofType.isErr()) return err(ofType.error);
  const { mode } = host;
  const hash = engine.crypto.hash(presented.value.text);
  const holder = await engine.partners.findKey(hash);
  // A key of another type or mode with the same hash counts as unknown.
  if (holder?.key.type !== type || holder.key.mode !== mode) return unknownKey(type);
  await engine.clock.follow();
  const now = engine.clock.now(holder.key);
  const alive = checkKeyLife(holder.key, now);
  if (alive.isErr()) return err(alive.error);
  const fromAllowed = checkKeyAddress(holder.key, request.clientIp);
  if (fromAllowed.isErr()) return err(fromAllowed.error);
  const partner = cleared(holder.partner, mode);
  if (partner.isErr()) return err(partner.error);
  // A publishable key only opens checkouts, which tell their buyers themselves.
  if (needed !== 'publishable' && isSuspended(partner.value)) return err(PARTNER_SUSPENDED);
  const inScope = checkKeyScope(holder.key, scope);
  if (inScope.isErr()) return err(inScope.error);
  engine.keyUses.note(hash, now);
  return ok({
    partner: partner.value,
    scope: { partnerId: partner.value.id, mode },
    keyHash: hash,
    actor: { type: 'key', id: keyId(holder.key) },
  });
}

async function byEmbedToken(engine: Engine, mode: Mode, request: HttpRequest): Authenticated {
  const token = await readEmbedToken(engine, mode, headerOf(request, 'x-embed-token'));
  if (token.isErr()) return err(token.error);
  const { scope, keyHash } = token.value;
  // The same cached look-up as for calls with the key itself, so that a token becomes invalid as fast as its key.
  const holder = await engine.partners.findKey(keyHash);
  await engine.clock.follow();
  const now = engine.clock.now(scope);
  if (holder === null || !isIssuer(holder.key, scope) || checkKeyLife(holder.key, now).isErr()) {
    return refuse(
      'invalid_embed_token',
      'The key that this token was issued for is no longer valid; bootstrap again with another.',
    );
  }
  const partner = cleared(holder.partner, mode);
  if (partner.isErr()) return err(partner.error);
  engine.keyUses.note(keyHash, now);
  return ok({ partner: partner.value, scope, token: token.value });
}

function isIssuer(key: ApiKey, scope: Scope): boolean {
  return key.type === 'publishable' && key.partnerId === scope.partnerId && key.mode === scope.mode;
}

function cleared(partner: Partner, mode: Mode): Result<Partner, Refusal<'live_keys_not_allowed'>> {
  if (mode === 'test' || partner.liveEnabled) return ok(partner);
  return refuse('live_keys_not_allowed', 'Your account is not cleared for live mode yet.');
}

/** Refuses a partner without the product before anything of the request is read (spec: Authentication 4). */
export function entitlementRefusal(
  { requires }: Pick<AnyEndpoint, 'requires'>,
  partner: Partner | null,
): Refusal | null {
  if (requires === null || (partner !== null && isEntitled(partner, requires.entitlement))) return null;
  return { code: requires.code, message: requires.message };
}

const OBJECT_ID = /^[\w-]{1,64}$/;

/** The object that a request is about: a browser's session, or the first id of the path. */
export function objectOf(caller: Callers[Auth], params: Readonly<Record<string, string>>): string | null {
  if (caller !== null && 'token' in caller) return caller.token.sessionId;
  const [id = ''] = Object.values(params);
  return OBJECT_ID.test(id) ? id : null;
}
