import { type Instant, isoTime } from '../instant.js';
import { type JsonText, type Rendered, toJsonText } from '../json.js';
import type { Mode } from '../mode.js';
import type { Terms } from './terms.js';

/** `open`, or one of three final statuses. */
export type SessionStatus = 'open' | 'completed' | 'expired' | 'cancelled';

/** All session statuses. */
export const SESSION_STATUSES: readonly SessionStatus[] = ['open', 'completed', 'expired', 'cancelled'];

/** The fields that the partner's server sent at creation, stored unchanged. */
export interface GivenAtCreate {
  readonly terms: Terms;
  readonly returnUrl: string;
  readonly cancelUrl?: string | null | undefined;
  readonly userReference?: string | null | undefined;
  /** The object's text exactly as the partner wrote it. */
  readonly metadata: JsonText;
}

/** The same fields, with null for omitted ones. */
type Complete<Given> = { readonly [Name in keyof Given]-?: Exclude<Given[Name], undefined> };

/** One buy, sell or swap of one end user. */
export interface Session extends Complete<GivenAtCreate> {
  readonly id: string;
  readonly partnerId: string;
  readonly mode: Mode;
  /** Row version; each commit that changes the session increments it. */
  readonly version: number;
  /** Sequence number of the session's last event; gap-free from 1. */
  readonly sequence: number;
  readonly status: SessionStatus;
  readonly kyc: KycAcceptance | null;
  readonly secretPrefix: string;
  readonly secretHash: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** The live intent, if any. */
  readonly intentId: string | null;
  /** Number of intents that the session has had. */
  readonly attempts: number;
  /** The last return to a checkpoint that restored the session; absent before the first. */
  readonly restoredBy?: string;
  /** Deposit addresses shown to the buyer; absent before the first. */
  readonly depositAddresses?: readonly string[];
  /** Start of the pending provider step or of the movement of money; null when there is neither, and always under `expiry: 'strict'`. */
  readonly heldSince: Instant | null;
  /** The settled transaction; set exactly when `status` is `completed`. */
  readonly txRefid: string | null;
}

/** The stored part of an accepted `kyc_package`, never its content. */
export interface KycAcceptance {
  readonly provider: string;
  readonly acceptedAt: Instant;
  /** Keyed digest of the canonical package, to prove later which package was accepted. */
  readonly digest: string;
}

/** Data of `gate_session.kyc_package_accepted`, redacted to who verified and when (spec: Other resources 1). */
export type KycPackageAcceptance = Rendered<typeof kycPackageAcceptance>;

/** Renders the acceptance of a KYC package, without any of its content. */
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
