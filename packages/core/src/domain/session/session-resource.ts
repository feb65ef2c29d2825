import { isoTime } from '../instant.js';
import { jsonObject, knownAs, type Opaque, type Rendered } from '../json.js';
import type { Session } from './session-state.js';

/** The GateSession on the wire (spec: GateSession). */
export type GateSession = Rendered<typeof sessionResource>;

/** Only the response to a create contains the secret (spec: Create response). */
export type CreatedGateSession = GateSession & { readonly client_secret: string };

/** The GateSession as partners see it (spec: GateSession), without `client_secret`. Rendered in the domain because events freeze it. */
export function sessionResource(session: Session) {
  const { terms } = session;
  const members = {
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
  } as const;
  return jsonObject(members, { metadata: knownAs<Opaque>(session.metadata) });
}
