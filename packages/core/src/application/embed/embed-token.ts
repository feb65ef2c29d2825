import { ok, type Result } from 'neverthrow';
import { type Look, PLAIN_LOOK } from '../../domain/branding/branding.js';
import { checkKeyLife, parseKey } from '../../domain/keys/api-key.js';
import type { Mode, Scope } from '../../domain/mode.js';
import type { Partner } from '../../domain/partner/partner.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Session } from '../../domain/session/session.js';
import { FLOWS, sameTerms, type Terms } from '../../domain/session/terms.js';
import type { TokenClaims, TokenReading } from '../../ports/crypto.js';
import { retrieveBranding } from '../branding.js';
import type { Engine } from '../engine.js';
import { loadSession, sessionNotFound } from '../sessions/read-sessions.js';

/** The scope of an embed token: one partner and, if bound, one session and its terms. */
export interface EmbedToken {
  readonly jti: string;
  readonly scope: Scope;
  /** The hash of the publishable key it was issued for; revoking the key invalidates the token. */
  readonly keyHash: string;
  readonly origin: string;
  readonly sessionId: string | null;
  readonly terms: Terms | null;
}

type EmbedTokenRefusal = Refusal<'invalid_embed_token' | 'expired_embed_token'>;

/** Issues a token that contains the session's terms; later calls are checked against them and the stored session. */
export async function issueEmbedToken(
  engine: Engine,
  { scope, origin, keyHash }: Pick<EmbedToken, 'scope' | 'origin' | 'keyHash'>,
  session: Session | null,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const now = engine.clock.now(scope);
  const expiresAt = now + engine.policy.embedTokenLifetime;
  const claims: TokenClaims = {
    jti: engine.ids.uuid(),
    partner: scope.partnerId,
    mode: scope.mode,
    key: keyHash,
    origin,
    session: session?.id ?? null,
    flow: session?.terms.flow ?? null,
    amount: session?.terms.amount ?? null,
    currency: session?.terms.currency ?? null,
    target_token: session?.terms.targetToken ?? null,
    target_network: session?.terms.targetNetwork ?? null,
    wallet_address: session?.terms.walletAddress ?? null,
  };
  return { token: await engine.crypto.signToken(claims, now, expiresAt), expiresAt };
}

/** Verifies `X-Embed-Token`. A token of the other mode is invalid on this host. */
export async function readEmbedToken(
  engine: Engine,
  mode: Mode,
  text: string | null,
): Promise<Result<EmbedToken, EmbedTokenRefusal>> {
  if (text === null)
    return refuse('invalid_embed_token', 'Send the embed token of the bootstrap answer as X-Embed-Token.');
  const reading = await readToken(engine, mode, text);
  if (reading.kind === 'expired') return refuse('expired_embed_token', 'The embed token has expired; bootstrap again.');
  const token = reading.kind === 'valid' ? tokenOf(reading.claims, mode) : null;
  if (token === null) return refuse('invalid_embed_token', 'The embed token is not valid on this host.');
  return ok(token);
}

/** A sandbox is never behind its mode, so what has expired there has expired in the sandbox. Only the token says whose it is. */
async function readToken({ crypto, clock }: Engine, mode: Mode, text: string): Promise<TokenReading> {
  const ofMode = clock.ofMode(mode);
  const reading = await crypto.verifyToken(text, ofMode);
  const partnerId = reading.kind === 'valid' ? reading.claims['partner'] : null;
  if (!partnerId) return reading;
  const now = clock.now({ partnerId, mode });
  return now > ofMode ? crypto.verifyToken(text, now) : reading;
}

function tokenOf(claims: TokenClaims, mode: Mode): EmbedToken | null {
  const { jti, partner, key: keyHash, origin, amount, currency } = claims;
  if (!jti || !partner || !keyHash || !origin || claims['mode'] !== mode) return null;
  const issued = { jti, scope: { partnerId: partner, mode }, keyHash, origin };
  const sessionId = claims['session'] ?? null;
  if (sessionId === null) return { ...issued, sessionId: null, terms: null };
  if (!amount || !currency) return null;
  const terms: Terms = {
    flow: FLOWS.find((flow) => flow === claims['flow']) ?? null,
    amount,
    currency,
    targetToken: claims['target_token'] ?? null,
    targetNetwork: claims['target_network'] ?? null,
    walletAddress: claims['wallet_address'] ?? null,
  };
  return { ...issued, sessionId, terms };
}

/** Loads the token's session and checks that its terms still match the token's. */
export async function sessionOfToken(
  engine: Engine,
  token: EmbedToken,
): Promise<Result<Session, Refusal<'session_not_found' | 'invalid_embed_token'>>> {
  if (token.sessionId === null || token.terms === null) return sessionNotFound();
  const session = await loadSession(engine, token.scope, token.sessionId);
  if (session === null) return sessionNotFound();
  if (!sameTerms(session.terms, token.terms)) {
    return refuse('invalid_embed_token', 'The embed token does not carry the terms of its session.');
  }
  return ok(session);
}

/**
 * Origins that may frame the checkout of a publishable key, by the same key checks as bootstrap; null if bootstrap would not accept the key
 * on this mode's host. Returns no refusal, because the caller is the checkout page itself.
 */
export async function allowedOrigins(
  engine: Engine,
  mode: Mode,
  publishableKey: string,
): Promise<readonly string[] | null> {
  return (await partnerOfKey(engine, mode, publishableKey))?.allowedOrigins ?? null;
}

/** The branding of a publishable key's checkout, by the key or its hash. The partner's name is the default display name. */
export async function checkoutLook(engine: Engine, mode: Mode, publishableKey: string): Promise<Look | null> {
  const isHash = /^[0-9a-f]{64}$/.test(publishableKey);
  const partner = await (isHash ? partnerOfHash : partnerOfKey)(engine, mode, publishableKey);
  if (partner === null) return null;
  const branding = await retrieveBranding(engine, { partnerId: partner.id, mode });
  return { ...PLAIN_LOOK, ...branding, displayName: branding?.displayName ?? partner.name };
}

async function partnerOfKey(engine: Engine, mode: Mode, publishableKey: string): Promise<Partner | null> {
  const presented = parseKey(publishableKey);
  if (presented === null || presented.type !== 'publishable' || presented.mode !== mode) return null;
  return partnerOfHash(engine, mode, engine.crypto.hash(presented.text));
}

async function partnerOfHash(engine: Engine, mode: Mode, keyHash: string): Promise<Partner | null> {
  const holder = await engine.partners.findKey(keyHash);
  if (holder === null || holder.key.type !== 'publishable' || holder.key.mode !== mode) return null;
  if (checkKeyLife(holder.key, engine.clock.now(holder.key)).isErr()) return null;
  return mode === 'live' && !holder.partner.liveEnabled ? null : holder.partner;
}
