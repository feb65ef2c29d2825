import { isoTime } from '../instant.js';
import { toJsonText, type JsonText } from '../json/json-text.js';
import type { Mode } from '../mode.js';
import type { KycAcceptance, Session } from './session-state.js';

/** The data of `gate_session.kyc_package_accepted`: redacted: only who verified it, and when (spec: KycPackageAcceptance). */
export type KycPackageAcceptance = {
  readonly object: 'kyc_package_acceptance';
  readonly session_id: string;
  readonly partner_id: string;
  readonly mode: Mode;
  readonly provider: string;
  readonly accepted_at: string;
  readonly user_reference: string | null;
};

/** The answer to an accepted KYC package; nothing of the package is in it. */
export function kycPackageAcceptance(session: Session, kyc: KycAcceptance): JsonText<KycPackageAcceptance> {
  return toJsonText({
    object: 'kyc_package_acceptance',
    session_id: session.id,
    partner_id: session.partnerId,
    mode: session.mode,
    provider: kyc.provider,
    accepted_at: isoTime(kyc.acceptedAt),
    user_reference: session.userReference,
  } satisfies KycPackageAcceptance);
}
