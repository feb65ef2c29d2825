import { ok, type Result } from 'neverthrow';
import type { Branding } from '../../domain/branding/branding.js';
import type { Instant } from '../../domain/instant.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Mode, Scope } from '../../domain/mode.js';
import { isAllowedOrigin } from '../../domain/origin/origin.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import { isExhausted } from '../../domain/quota/quota.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { sessionIdOfClientSecret } from '../../domain/session/client-secret.js';
import type { Session } from '../../domain/session/session.js';
import type { Flow } from '../../domain/session/terms.js';
import { readBranding } from '../branding/read-branding.js';
import type { Engine } from '../engine.js';
import { readSession } from '../sessions/read-session.js';
import { sessionNotFound } from '../sessions/retrieve-session.js';
import { issueEmbedToken } from './embed-token.js';
import { countCompleted } from '../sessions/count-completed.js';

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
}

export const UNAVAILABLE_REASONS = [
  'quota_exhausted',
  'session_completed',
  'session_cancelled',
  'session_expired',
  'flow_not_enabled',
  'region_unsupported',
  'maintenance',
] as const;

export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number];

export interface Bootstrapped {
  readonly partner: Partner;
  readonly mode: Mode;
  readonly unavailableReason: UnavailableReason | null;
  readonly embedToken: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  readonly session: Session | null;
  readonly branding: Branding | null;
  readonly flows: readonly Flow[];
  readonly paymentMethods: readonly PaymentMethod[];
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
  const [offer, branding] = await Promise.all([offerOf(engine, scope, partner, session), readBranding(engine, scope)]);
  const issued = await issueEmbedToken(engine, { scope, origin, keyHash: input.keyHash }, session);
  return ok({
    partner,
    mode,
    unavailableReason: await unavailableReason(engine, partner, scope, session, offer.flows),
    embedToken: issued.token,
    issuedAt: issued.expiresAt - engine.policy.embedTokenLifetime,
    expiresAt: issued.expiresAt,
    session,
    branding,
    ...offer,
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

/** What is offered, by the flows that are: a session locked to one shows only that one's methods. */
async function offerOf(
  engine: Engine,
  scope: Scope,
  partner: Partner,
  session: Session | null,
): Promise<Pick<Bootstrapped, 'flows' | 'paymentMethods'>> {
  const flows = new Set<Flow>();
  const paymentMethods = new Set<PaymentMethod>();
  const locked = session?.terms.flow ?? null;
  for (const provider of engine.providers) {
    const capabilities = await provider.capabilities(scope);
    for (const flow of capabilities.flows) {
      if (flow === 'swap' && !isEntitled(partner, 'swap')) continue;
      if (locked !== null && flow !== locked) continue;
      flows.add(flow);
      for (const method of capabilities.paymentMethods[flow] ?? []) paymentMethods.add(method);
    }
  }
  return { flows: [...flows], paymentMethods: [...paymentMethods] };
}

async function unavailableReason(
  engine: Engine,
  partner: Partner,
  scope: Scope,
  session: Session | null,
  flows: readonly Flow[],
): Promise<UnavailableReason | null> {
  if (session !== null && session.status !== 'open') return `session_${session.status}`;
  if (flows.length === 0) return 'flow_not_enabled';
  return (await isQuotaExhausted(engine, partner, scope)) ? 'quota_exhausted' : null;
}

export async function isQuotaExhausted(engine: Engine, partner: Partner, scope: Scope): Promise<boolean> {
  if (partner.completedSessionsQuota === null) return false;
  const used = await countCompleted(engine, scope, engine.clock.now(scope.mode));
  return isExhausted(partner.completedSessionsQuota, used);
}
