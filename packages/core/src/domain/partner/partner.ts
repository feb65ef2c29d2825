import type { Instant } from '../instant.js';
import type { Mode } from '../mode.js';
import type { Refusal } from '../refusal.js';
import type { Restrictions } from './restrictions.js';

/** Products that a partner can use only after an operator enables them. */
export type Entitlement = 'swap' | 'rails' | 'pools';

/** A company that embeds the checkout. One record covers both modes. */
export interface Partner {
  readonly id: string;
  readonly name: string;
  /** Exact origins, shared by both modes. */
  readonly allowedOrigins: readonly string[];
  readonly kycTrusted: boolean;
  readonly liveEnabled: boolean;
  readonly entitlements: readonly Entitlement[];
  /** Maximum number of completed sessions in a UTC month; null for no limit. */
  readonly completedSessionsQuota: number | null;
  /**
   * Multiplies every rate limit, and counts calls with a secret key per partner instead of per address. Absent or null: the usual limits.
   */
  readonly rateLimitFactor?: number | null;
  /** Whether its buyers can save payment methods, and pay with them. Absent means no. */
  readonly savedPaymentMethods?: boolean;
  /** The partner's subset of what the providers serve; absent or null for no restriction. */
  readonly restrictions?: Restrictions | null;
  /**
   * When an operator suspended the partner: its keys are refused and its checkouts begin no payment, while payments under way end and
   * webhooks are delivered. Absent or null if it is not suspended. A saved partner keeps its suspension.
   */
  readonly suspendedAt?: Instant | null;
}

/** Whether the partner's keys and checkouts are refused at the moment. */
export function isSuspended({ suspendedAt }: Pick<Partner, 'suspendedAt'>): boolean {
  return suspendedAt !== undefined && suspendedAt !== null;
}

/** The answer to a suspended partner's keys. */
export const PARTNER_SUSPENDED: Refusal<'partner_suspended'> = {
  code: 'partner_suspended',
  message: 'Your account is suspended. Contact support; payments under way and webhooks continue.',
};

/** The answer to its checkouts, which buyers may see. */
export const CHECKOUT_SUSPENDED: Refusal<'partner_suspended'> = {
  code: 'partner_suspended',
  message: 'This shop accepts no new payments at the moment.',
};

/** Where and how a partner's webhooks of one mode are sent. */
export interface WebhookEndpoint {
  readonly partnerId: string;
  readonly mode: Mode;
  readonly url: string | null;
  /** Signing secrets, newest first, each encrypted. There is more than one only during the grace period of a rotation. */
  readonly secrets: readonly WebhookSecret[];
  /** When an operator paused this endpoint; null or absent if it is not paused. */
  readonly pausedAt?: Instant | null;
  /** When an operator paused the partner. Stored separately, because resuming the partner must not resume a paused endpoint. */
  readonly partnerPausedAt?: Instant | null;
}

/** Start of the pause; null if deliveries are not paused. */
export function pausedSince(endpoint: Pick<WebhookEndpoint, 'pausedAt' | 'partnerPausedAt'> | null): Instant | null {
  const { pausedAt = null, partnerPausedAt = null } = endpoint ?? {};
  if (pausedAt === null || partnerPausedAt === null) return pausedAt ?? partnerPausedAt;
  return Math.min(pausedAt, partnerPausedAt);
}

/** A signing secret, encrypted so that only this installation can read it. */
export interface WebhookSecret {
  readonly sealed: string;
  readonly createdAt: Instant;
  /** When a replaced secret stops signing; null for the current one. */
  readonly expiresAt: Instant | null;
}

/** Whether an operator enabled saved payment methods: a session's `user_reference` then names the buyer who owns them. */
export function savesMethods({ savedPaymentMethods = false }: Pick<Partner, 'savedPaymentMethods'>): boolean {
  return savedPaymentMethods;
}

/** Whether an operator enabled the product for the partner. */
export function isEntitled(partner: Pick<Partner, 'entitlements'>, entitlement: Entitlement): boolean {
  return partner.entitlements.includes(entitlement);
}
