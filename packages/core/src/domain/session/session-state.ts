import { type Instant, isoTime } from '../instant.js';
import { type JsonText, type Rendered, toJsonText } from '../json.js';
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
  readonly cancelUrl?: string | null | undefined;
  readonly userReference?: string | null | undefined;
  /** The object's text exactly as the partner wrote it. */
  readonly metadata: JsonText;
}

/** The same fields, with null for those left out. */
type Complete<Given> = { readonly [Name in keyof Given]-?: Exclude<Given[Name], undefined> };

/** One buy, sell or swap of one end user. */
export interface Session extends Complete<GivenAtCreate> {
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
  /** Addresses to which the buyer was asked to send a deposit; absent before the first. */
  readonly depositAddresses?: readonly string[];
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

/** The data of `gate_session.kyc_package_accepted`: redacted: only who verified it, and when (spec: KycPackageAcceptance). */
export type KycPackageAcceptance = Rendered<typeof kycPackageAcceptance>;

/** The answer to an accepted KYC package; nothing of the package is in it. */
export function kycPackageAcceptance(session: Session, kyc: KycAcceptance) {
  return toJsonText({
    object: 'kyc_package_acceptance',
    session_id: session.id,
    partner_id: session.partnerId,
    mode: session.mode,
    provider: kyc.provider,
    accepted_at: isoTime(kyc.acceptedAt),
    user_reference: session.userReference,
  });
}
