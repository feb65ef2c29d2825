import type { Instant } from '../instant.js';
import type { Mode } from '../mode.js';
import type { Restrictions } from './restrictions.js';

/** Parts of the contract that a partner has only when an operator says so. */
export type Entitlement = 'swap' | 'rails' | 'pools';

/** The team that embeds the checkout. One record serves both modes. */
export interface Partner {
  readonly id: string;
  readonly name: string;
  /** Exact origins, shared by both modes. */
  readonly allowedOrigins: readonly string[];
  readonly kycTrusted: boolean;
  readonly liveEnabled: boolean;
  readonly entitlements: readonly Entitlement[];
  /** Completed sessions allowed in a UTC month; null for no limit. */
  readonly completedSessionsQuota: number | null;
  /** Its calls with a secret key are counted per partner, with every limit times this, instead of per address; absent or null for no. */
  readonly rateLimitFactor?: number | null;
  /** What it may use of what providers serve; absent or null for all of it. */
  readonly restrictions?: Restrictions | null;
}

/** Where and how a partner's webhooks of one mode are sent. */
export interface WebhookEndpoint {
  readonly partnerId: string;
  readonly mode: Mode;
  readonly url: string | null;
  /** Signing secrets, newest first, each sealed; more than one only during a rotation's grace. */
  readonly secrets: readonly WebhookSecret[];
  /** When an operator paused this endpoint; null or absent while it is not paused. */
  readonly pausedAt?: Instant | null;
  /** When an operator paused both endpoints of the partner. Kept apart: resuming the partner must not resume an endpoint. */
  readonly partnerPausedAt?: Instant | null;
}

/** Since when nothing is sent to the endpoint; null while it is not paused. */
export function pausedSince(endpoint: Pick<WebhookEndpoint, 'pausedAt' | 'partnerPausedAt'> | null): Instant | null {
  const { pausedAt = null, partnerPausedAt = null } = endpoint ?? {};
  if (pausedAt === null || partnerPausedAt === null) return pausedAt ?? partnerPausedAt;
  return Math.min(pausedAt, partnerPausedAt);
}

/** A secret that signs; sealed, so that only this installation opens it. */
export interface WebhookSecret {
  readonly sealed: string;
  readonly createdAt: Instant;
  /** When a replaced secret stops signing; null for the current one. */
  readonly expiresAt: Instant | null;
}

/** Whether an operator has opened that part of the contract to the partner. */
export function isEntitled(partner: Pick<Partner, 'entitlements'>, entitlement: Entitlement): boolean {
  return partner.entitlements.includes(entitlement);
}
