import { err, ok, type Result } from 'neverthrow';
import type { Branding } from '../../domain/branding/branding.js';
import {
  type Capabilities,
  type MarketWish,
  mergeCapabilities,
  type ServedAsset,
  type ServedComponent,
  type ServedCurrency,
  type UnavailableMarket,
  unavailableFor,
} from '../../domain/capabilities/capabilities.js';
import { type Unserved, type WantedTerms, whyUnserved } from '../../domain/capabilities/serves-terms.js';
import type { Instant } from '../../domain/instant.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Mode, Scope } from '../../domain/mode.js';
import { isAllowedOrigin } from '../../domain/origin/origin.js';
import { isEntitled, isSuspended, type Partner } from '../../domain/partner/partner.js';
import { isExhausted } from '../../domain/quota/quota.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { sessionIdOfClientSecret } from '../../domain/session/open-session.js';
import type { Session } from '../../domain/session/session.js';
import { type Flow, FLOWS } from '../../domain/session/terms.js';
import { retrieveBranding } from '../branding.js';
import { callForOfferings, type MarketCaller } from '../capabilities/retrieve-capabilities.js';
import type { Engine } from '../engine.js';
import { isUnsaid } from '../providers/route-provider.js';
import { cancelSession, type CancelSessionRefusal } from '../sessions/cancel-session.js';
import { countCompleted, loadSession, sessionNotFound } from '../sessions/read-sessions.js';
import { type EmbedToken, issueEmbedToken, sessionOfToken } from './embed-token.js';
import { hasCustomer } from './saved-methods.js';

/** The options a checkout offers its buyer. Currencies and assets list only offered flows. */
export interface Offer {
  readonly flows: readonly Flow[];
  readonly paymentMethods: readonly PaymentMethod[];
  readonly currencies: readonly ServedCurrency[];
  readonly assets: readonly ServedAsset[];
  /** What the assets cannot be used for at the moment. */
  readonly unavailable: readonly UnavailableMarket[];
  /** Payment components; only on-ramps have them. */
  readonly components: readonly ServedComponent[];
  /** Methods that this buyer can save; empty if the session names no buyer. */
  readonly savable: readonly PaymentMethod[];
}

/** The result of checking the providers for a checkout. */
interface Survey {
  readonly offer: Offer;
  /** Why this buyer cannot use the checkout; null when at least one flow is open. */
  readonly closedBy: ClosedBy | null;
}

/** `maintenance`: a provider that might serve the checkout is down. */
type ClosedBy =
  | { readonly reason: 'flow_not_enabled' | 'maintenance'; readonly unserved: null }
  | { readonly reason: 'corridor_unsupported' | 'region_unsupported'; readonly unserved: Unserved };

/**
 * Determines the offer for the buyer of a session: the flows that the session allows and some provider serves on its terms. When no flow is
 * served, the listed flows are offered and `closedBy` has the reason.
 */
async function surveyOffer(
  engine: Engine,
  caller: MarketCaller,
  session: Session | null,
  countryCode: string | null = null,
): Promise<Survey> {
  const results = await callForOfferings(engine, caller);
  const all = results.flatMap((one) => (one.kind === 'answered' ? [one.answer.served] : []));
  const served = mergeCapabilities(all);
  const allowed = allowedFlows(caller.partner, session);
  // Without a session the buyer chooses the terms.
  const wanted: WantedTerms = { ...(session?.terms ?? OPEN_TERMS), countryCode };
  const whyNot = (flows: readonly Flow[]) => whyUnserved(all, flows, wanted);
  const listed = served.flows.filter((flow) => allowed.includes(flow));
  const open = listed.filter((flow) => whyNot([flow]) === null);
  const canSave = session !== null && hasCustomer(session);
  const offer = offered(served, open.length > 0 ? open : listed, canSave);
  if (allowed.length === 0) return { offer, closedBy: { reason: 'flow_not_enabled', unserved: null } };
  if (open.length > 0) return { offer, closedBy: null };
  const unserved = whyNot(allowed);
  const isOutage =
    results.length === 0 ||
    results.some(({ kind }) => kind === 'failed') ||
    (unserved !== null &&
      isMissingWhilePartial(served, unserved) &&
      (all.some(isUnsaid) || allowed.some((flow) => unavailableFor(all, wishOf(flow, wanted)) !== null)));
  if (isOutage || unserved === null) return { offer, closedBy: { reason: 'maintenance', unserved: null } };
  const reason = unserved.term === 'country_code' ? 'region_unsupported' : 'corridor_unsupported';
  return { offer, closedBy: { reason, unserved } };
}

/**
 * Whether the term may be missing because a provider serves only a part of its market at the moment. Such a provider still lists all its
 * countries, limits and currencies, each currency with its remaining flows.
 */
function isMissingWhilePartial({ currencies }: Capabilities, { term, value }: Unserved): boolean {
  if (term === 'currency') return currencies.some(({ code }) => code === value);
  return term === 'flow' || term === 'target_token' || term === 'target_network';
}

function wishOf(flow: Flow, { currency, targetToken, targetNetwork }: WantedTerms): MarketWish {
  return { flow, currency, target: { token: targetToken, network: targetNetwork } };
}

const OPEN_TERMS = { amount: null, currency: null, targetToken: null, targetNetwork: null } as const;

function allowedFlows(partner: Partner, session: Session | null): readonly Flow[] {
  const locked = session?.terms.flow ?? null;
  return FLOWS.filter(
    (flow) => (flow !== 'swap' || isEntitled(partner, 'swap')) && (locked === null || flow === locked),
  );
}

/** Limits the rows of currencies and assets to the offered flows. */
function offered(served: Capabilities, flows: readonly Flow[], canSave: boolean): Offer {
  const within = <Row extends { readonly flows: readonly Flow[] }>(rows: readonly Row[]): readonly Row[] =>
    rows
      .map((row) => ({ ...row, flows: row.flows.filter((flow) => flows.includes(flow)) }))
      .filter((row) => row.flows.length > 0);
  return {
    flows,
    paymentMethods: [...new Set(flows.flatMap((flow) => served.paymentMethods[flow] ?? []))],
    currencies: within(served.currencies),
    assets: within(served.assets),
    unavailable: (served.unavailable ?? []).filter(({ flow }) => flows.includes(flow)),
    components: flows.includes('on_ramp') ? (served.components ?? []) : [],
    savable: flows.includes('on_ramp') && canSave ? (served.savable ?? []) : [],
  };
}

interface Bootstrap {
  readonly partner: Partner;
  readonly mode: Mode;
  /** The hash of the presented publishable key. */
  readonly keyHash: string;
  /** The `Origin` header; null when the browser sent none. */
  readonly origin: string | null;
  /** Origin of the service's own checkout page, accepted only with a client secret. */
  readonly widgetOrigin: string | null;
  readonly clientSecret: string | null;
  /** The buyer's country, if the page knows it. */
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
  /** The term that no provider serves, if that is the reason. */
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
  if (origin === null || !isOriginAllowed(input, origin)) {
    return refuse('origin_not_allowed', "The Origin header must name one of the partner's allowed domains.");
  }
  const scope: Scope = { partnerId: partner.id, mode };
  const session = input.clientSecret === null ? null : await openBySecret(engine, scope, input.clientSecret);
  if (input.clientSecret !== null && session === null) return sessionNotFound();
  const [survey, branding, hasNoQuota] = await Promise.all([
    surveyOffer(engine, { partner, scope }, session, input.countryCode),
    retrieveBranding(engine, scope),
    isQuotaExhausted(engine, partner, scope),
  ]);
  const unavailableReason = whyUnavailable(session, survey, { hasNoQuota, isSuspended: isSuspended(partner) });
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

function isOriginAllowed(input: Bootstrap, origin: string): boolean {
  if (isAllowedOrigin(input.partner.allowedOrigins, origin)) return true;
  return origin === input.widgetOrigin && input.clientSecret !== null;
}

/** Unknown id, other partner, other mode or wrong secret: the same response in the same time (`docs/spec-notes.md` C11). */
async function openBySecret(engine: Engine, scope: Scope, secret: string): Promise<Session | null> {
  const presented = engine.crypto.hash(secret);
  const id = sessionIdOfClientSecret(secret);
  const found = id === null ? null : await engine.store.find('session', scope, id);
  const matches = engine.crypto.equal(presented, found?.secretHash ?? NO_HASH);
  return found !== null && matches ? loadSession(engine, scope, found.id) : null;
}

const NO_HASH = '0'.repeat(64);

/** A session with a live attempt stays available for it, even if no new attempt could begin. */
function whyUnavailable(
  session: Session | null,
  { closedBy }: Survey,
  partner: { readonly hasNoQuota: boolean; readonly isSuspended: boolean },
): UnavailableReason | null {
  if (session !== null && session.status !== 'open') return `session_${session.status}`;
  if (closedBy?.reason === 'flow_not_enabled') return closedBy.reason;
  if (partner.hasNoQuota) return 'quota_exhausted';
  if (session !== null && session.intentId !== null) return null;
  // Buyers are not told that the shop is suspended.
  return partner.isSuspended ? 'maintenance' : (closedBy?.reason ?? null);
}

export async function isQuotaExhausted(engine: Engine, partner: Partner, scope: Scope): Promise<boolean> {
  if (partner.completedSessionsQuota === null) return false;
  const used = await countCompleted(engine, scope, engine.clock.now(scope));
  return isExhausted(partner.completedSessionsQuota, used);
}

export interface OpenedSession extends Offer {
  readonly session: Session;
  readonly partner: Partner;
  /** The intent that paid for a completed session. */
  readonly settledIntentId: string | null;
}

/** Retrieves the token's session and its offer. An iframe has not seen the bootstrap response, so it needs both. */
export async function retrieveEmbedSession(
  engine: Engine,
  { token, partner }: { readonly token: EmbedToken; readonly partner: Partner },
): Promise<Result<OpenedSession, Refusal<'session_not_found' | 'invalid_embed_token'>>> {
  const session = await sessionOfToken(engine, token);
  if (session.isErr()) return err(session.error);
  const [{ offer }, settledIntentId] = await Promise.all([
    surveyOffer(engine, { partner, scope: token.scope }, session.value),
    settledIntentOf(engine, token.scope, session.value),
  ]);
  return ok({ session: session.value, partner, settledIntentId, ...offer });
}

/** Cancels the token's session on behalf of the buyer. */
export async function cancelEmbedSession(
  engine: Engine,
  caller: { readonly token: EmbedToken; readonly partner: Partner },
): Promise<Result<OpenedSession, CancelSessionRefusal | Refusal<'invalid_embed_token'>>> {
  const session = await sessionOfToken(engine, caller.token);
  if (session.isErr()) return err(session.error);
  const cancelled = await cancelSession(engine, caller.token.scope, session.value.id);
  return cancelled.isErr() ? err(cancelled.error) : retrieveEmbedSession(engine, caller);
}

async function settledIntentOf(engine: Engine, scope: Scope, session: Session): Promise<string | null> {
  if (session.status !== 'completed' || session.txRefid === null) return null;
  return (await engine.store.find('transaction', scope, session.txRefid))?.intentId ?? null;
}
