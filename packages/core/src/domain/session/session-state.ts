import type { Instant } from '../instant.js';
import type { JsonText } from '../json/json-text.js';
import type { Mode } from '../mode.js';
import type { Terms } from './terms.js';

/** `open`, or one of the three ends. */
export type SessionStatus = 'open' | 'completed' | 'expired' | 'cancelled';

/** Every status of a session. */
export const SESSION_STATUSES: readonly SessionStatus[] = ['open', 'completed', 'expired', 'cancelled'];

/** What the partner's server gave at create, kept as it came. */
export interface GivenAtCreate {
  readonly terms: Terms;
  readonly returnUrl: string;
  readonly cancelUrl: string | null;
  readonly userReference: string | null;
  /** The object's text exactly as the partner wrote it. */
  readonly metadata: JsonText;
}

/** One buy, sell or swap of one end user. */
export interface Session extends GivenAtCreate {
  readonly id: string;
  readonly partnerId: string;
  readonly mode: Mode;
  /** The row's version; each commit that touches the session moves it by one. */
  readonly version: number;
  /** Sequence number of the session's last event; gap-free from 1. */
  readonly sequence: number;
  readonly status: SessionStatus;
  readonly kyc: KycAcceptance | null;
  readonly secretPrefix: string;
  readonly secretHash: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** The one intent that is neither failed nor finished, if any. */
  readonly intentId: string | null;
  /** How many intents the session has had. */
  readonly attempts: number;
  /** Since when a provider step has been under way or money has been moving; null when neither is, and always under `expiry: 'strict'`. */
  readonly heldSince: Instant | null;
  /** The settled transaction; set exactly when `status` is `completed`. */
  readonly txRefid: string | null;
}

/** What is kept of an accepted `kyc_package`: never its body. */
export interface KycAcceptance {
  readonly provider: string;
  readonly acceptedAt: Instant;
  /** Keyed digest of the canonical package, to prove later which one it was. */
  readonly digest: string;
}
