import { isoTime } from '../../domain/instant.js';
import { toJsonText, type JsonText } from '../../domain/json/json-text.js';
import type { Session } from '../../domain/session/session.js';

/** What a browser may see of a session: its terms, and nothing that is the partner's own. */
export function embedSession(session: Session): JsonText {
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
  });
}
