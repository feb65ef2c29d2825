import { isoTime } from '../../domain/instant.js';
import { toJsonText, withMembers, type JsonText } from '../../domain/json/json-text.js';
import type { Mode } from '../../domain/mode.js';
import type { Session } from '../../domain/session/session.js';
import type { GateSession } from '../../domain/session/session-resource.js';
import type { Flow } from '../../domain/session/terms.js';

/** What a browser may see of a session: its terms, and nothing that is the partner's own. */
export type CheckoutSession = Pick<
  GateSession,
  | 'id'
  | 'status'
  | 'amount'
  | 'currency'
  | 'target_token'
  | 'target_network'
  | 'wallet_address'
  | 'return_url'
  | 'cancel_url'
  | 'expires_at'
>;

/** The session of an embed token, with the intent to resume, if one is live. */
export type EmbedSession = CheckoutSession & {
  readonly object: 'embed_session';
  readonly flow: Flow | null;
  readonly mode: Mode;
  readonly intent_id: string | null;
};

export function checkoutSession(session: Session): JsonText<CheckoutSession> {
  const { terms } = session;
  return toJsonText({
    id: session.id,
    status: session.status,
    amount: terms.amount,
    currency: terms.currency,
    target_token: terms.targetToken,
    target_network: terms.targetNetwork,
    wallet_address: terms.walletAddress,
    return_url: session.returnUrl,
    cancel_url: session.cancelUrl,
    expires_at: isoTime(session.expiresAt),
  } satisfies CheckoutSession);
}

export function embedSession(session: Session): JsonText<EmbedSession> {
  return withMembers(checkoutSession(session), {
    object: 'embed_session',
    flow: session.terms.flow,
    mode: session.mode,
    intent_id: session.intentId,
  } satisfies Omit<EmbedSession, keyof CheckoutSession>);
}
