import { isoTime } from '../instant.js';
import { jsonObject, type JsonText, knownAs, type Opaque } from '../json.js';
import type { Mode } from '../mode.js';
import type { Session, SessionStatus } from './session-state.js';
import type { Flow } from './terms.js';

/** The GateSession on the wire (spec: GateSession). */
export type GateSession = {
  readonly id: string;
  readonly object: 'gate_session';
  readonly partner_id: string;
  readonly mode: Mode;
  readonly flow: Flow | null;
  readonly amount: string;
  readonly currency: string;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly wallet_address: string | null;
  readonly user_reference: string | null;
  readonly kyc_pre_verified: boolean;
  readonly status: SessionStatus;
  readonly expires_at: string;
  readonly created_at: string;
  readonly metadata: Opaque;
};

/** Only the create answer holds the secret (spec: Create response). */
export type CreatedGateSession = GateSession & { readonly client_secret: string };

/**
 * The GateSession as partners see it (spec: GateSession). Rendered in the domain because events
 * freeze it; `client_secret` is not part of it.
 */
export function sessionResource(session: Session): JsonText<GateSession> {
  const { terms } = session;
  return jsonObject(
    {
      id: session.id,
      object: 'gate_session',
      partner_id: session.partnerId,
      mode: session.mode,
      flow: terms.flow,
      amount: terms.amount,
      currency: terms.currency,
      target_token: terms.targetToken,
      target_network: terms.targetNetwork,
      return_url: session.returnUrl,
      cancel_url: session.cancelUrl,
      wallet_address: terms.walletAddress,
      user_reference: session.userReference,
      kyc_pre_verified: session.kyc !== null,
      status: session.status,
      expires_at: isoTime(session.expiresAt),
      created_at: isoTime(session.createdAt),
    } satisfies Omit<GateSession, 'metadata'>,
    { metadata: knownAs<Opaque>(session.metadata) },
  );
}
