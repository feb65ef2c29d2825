import { isoTime, isoTimeOrNull } from '../instant.js';
import { toJsonText, type JsonText } from '../json/json-text.js';
import type { Mode } from '../mode.js';
import type { Session } from '../session/session-state.js';
import type { Intent } from './intent.js';

/** The data of `kyc.required`. */
export type KycRequirement = {
  readonly object: 'kyc_requirement';
  readonly session_id: string;
  readonly partner_id: string;
  readonly mode: Mode;
  readonly intent_id: string;
  readonly level: string;
  readonly reasons: readonly string[];
  readonly user_reference: string | null;
  readonly expires_at: string;
};

/** The data of `kyc.required`: what this intent waits for, and until when. */
export function kycRequirement(
  session: Session,
  intent: Intent,
  level: string,
  reasons: readonly string[],
): JsonText<KycRequirement> {
  return toJsonText({
    object: 'kyc_requirement',
    session_id: session.id,
    partner_id: session.partnerId,
    mode: session.mode,
    intent_id: intent.id,
    level,
    reasons: [...reasons],
    user_reference: session.userReference,
    expires_at: isoTimeOrNull(intent.expiresAt) ?? isoTime(session.expiresAt),
  } satisfies KycRequirement);
}
