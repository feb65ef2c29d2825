import { ok, type Result } from 'neverthrow';
import type { Unserved } from '../../domain/capabilities/serves-terms.js';
import type { Branding } from '../../domain/branding/branding.js';
import type { Instant } from '../../domain/instant.js';
import type { Mode, Scope } from '../../domain/mode.js';
import { isAllowedOrigin } from '../../domain/origin/origin.js';
import type { Partner } from '../../domain/partner/partner.js';
import { isExhausted } from '../../domain/quota/quota.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { sessionIdOfClientSecret } from '../../domain/session/client-secret.js';
import type { Session } from '../../domain/session/session.js';
import { readBranding } from '../branding/read-branding.js';
import type { Engine } from '../engine.js';
import { readSession } from '../sessions/read-session.js';
import { sessionNotFound } from '../sessions/retrieve-session.js';
import { issueEmbedToken } from './embed-token.js';
import { countCompleted } from '../sessions/count-completed.js';
import { surveyOffer, type Offer, type Survey } from './offer.js';

export interface Bootstrap {
  readonly partner: Partner;
  readonly mode: Mode;
  /** Of the publishable key presented. */
  readonly keyHash: string;
  /** The `Origin` header; null when the browser sent none. */
  readonly origin: string | null;
  /** The service's own checkout page, accepted only with a client secret. */
  readonly widgetOrigin: string | null;
  readonly clientSecret: string | null;
  /** Where the buyer is, as far as the page knows. */
  readonly countryCode: string | null;
}

export const UNAVAILABLE_REASONS = [
  'quota_exhausted',
  'session_completed',
  'session_cancelled',
  'session_expired',
  'flow_not_enabled',
  'corridor_unsupported',
  'region_unsupported',
  'maintenance',
] as const;

export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number];

export interface Bootstrapped extends Offer {
  readonly partner: Partner;
  readonly mode: Mode;
  readonly unavailableReason: UnavailableReason | null;
  /** What no provider serves, where that is the reason. */
  readonly unserved: Unserved | null;
  readonly embedToken: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  readonly session: Session | null;
  readonly branding: Branding | null;
}

/** Opens the checkout for one browser (spec: Embed bootstrap). */
export async function bootstrap(
  engine: Engine,
  input: Bootstrap,
): Promise<Result<Bootstrapped, Refusal<'origin_not_allowed' | 'session_not_found'>>> {
  const { partner, mode } = input;
  const { origin } = input;
  if (origin === null || !mayOpen(input, origin)) {
    return refuse('origin_not_allowed', "The Origin header must name one of the partner's allowed domains.");
  }
  const scope: Scope = { partnerId: partner.id, mode };
  const session = input.clientSecret === null ? null : await openBySecret(engine, scope, input.clientSecret);
  if (input.clientSecret !== null && session === null) return sessionNotFound();
  const [survey, branding, hasNoQuota] = await Promise.all([
    surveyOffer(engine, { partner, scope }, session, input.countryCode),
    readBranding(engine, scope),
    isQuotaExhausted(engine, partner, scope),
  ]);
  const unavailableReason = whyUnavailable(session, survey, hasNoQuota);
  const issued = await issueEmbedToken(engine, { scope, origin, keyHash: input.keyHash }, session);
  return ok({
    partner,
    mode,
    unavailableReason,
    unserved: unavailableReason === survey.closedBy?.reason ? survey.closedBy.unserved : null,
    embedToken: issued.token,
    issuedAt: issued.expiresAt - engine.policy.embedTokenLifetime,
    expiresAt: issued.expiresAt,
    session,
    branding,
    ...survey.offer,
  });
}

function mayOpen(input: Bootstrap, origin: string): boolean {
  if (isAllowedOrigin(input.partner.allowedOrigins, origin)) return true;
  return origin === input.widgetOrigin && input.clientSecret !== null;
}

/** Unknown id, other partner, other mode, wrong secret: one answer, in one time (`docs/spec-notes.md` C11). */
async function openBySecret(engine: Engine, scope: Scope, secret: string): Promise<Session | null> {
  const presented = engine.crypto.hash(secret);
  const id = sessionIdOfClientSecret(secret);
  const found = id === null ? null : await engine.store.find('session', scope, id);
  const matches = engine.crypto.equal(presented, found?.secretHash ?? NO_HASH);
  return found !== null && matches ? readSession(engine, scope, found.id) : null;
}

const NO_HASH = '0'.repeat(64);

/** A session with an attempt under way stays open for it, whatever could be begun now. */
function whyUnavailable(session: Session | null, { closedBy }: Survey, hasNoQuota: boolean): UnavailableReason | null {
  if (session !== null && session.status !== 'open') return `session_${session.status}`;
  if (closedBy?.reason === 'flow_not_enabled') return closedBy.reason;
  if (hasNoQuota) return 'quota_exhausted';
  return session !== null && session.intentId !== null ? null : (closedBy?.reason ?? null);
}

export async function isQuotaExhausted(engine: Engine, partner: Partner, scope: Scope): Promise<boolean> {
  if (partner.completedSessionsQuota === null) return false;
  const used = await countCompleted(engine, scope, engine.clock.now(scope.mode));
  return isExhausted(partner.completedSessionsQuota, used);
}
