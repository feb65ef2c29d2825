import type { Offer, OpenedSession } from '../../application/embed/bootstrap.js';
import { isoTime } from '../../domain/instant.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import { type JsonText, toJsonText, withMembers } from '../../domain/json.js';
import type { Mode } from '../../domain/mode.js';
import type { Partner } from '../../domain/partner/partner.js';
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
  readonly partner: CheckoutPartner;
  readonly capabilities: CheckoutCapabilities;
};

/** Whose checkout it is, as a browser may know it. */
export type CheckoutPartner = { readonly id: string; readonly display_name: string };

/** What may be chosen of. */
export type CheckoutCapabilities = {
  readonly flows: readonly Flow[];
  readonly payment_methods: readonly PaymentMethod[];
  /** `decimals` is the most that its amounts have. */
  readonly currencies: readonly { readonly code: string; readonly decimals: number; readonly flows: readonly Flow[] }[];
  readonly assets: readonly {
    readonly code: string;
    readonly networks: readonly string[];
    readonly flows: readonly Flow[];
  }[];
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

export function checkoutPartner({ id, name }: Partner): CheckoutPartner {
  return { id, display_name: name };
}

export function checkoutCapabilities({ flows, paymentMethods, currencies, assets }: Offer): CheckoutCapabilities {
  return {
    flows,
    payment_methods: paymentMethods,
    currencies: currencies.map((one) => ({ code: one.code, decimals: one.decimals, flows: one.flows })),
    assets: assets.map((one) => ({ code: one.code, networks: one.networks, flows: one.flows })),
  };
}

export function embedSession(opened: OpenedSession): JsonText<EmbedSession> {
  const { session, partner } = opened;
  return withMembers(checkoutSession(session), {
    object: 'embed_session',
    flow: session.terms.flow,
    mode: session.mode,
    intent_id: session.intentId,
    partner: checkoutPartner(partner),
    capabilities: checkoutCapabilities(opened),
  } satisfies Omit<EmbedSession, keyof CheckoutSession>);
}
