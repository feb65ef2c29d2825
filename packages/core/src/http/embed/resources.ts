import type { Bootstrapped, Offer, OpenedSession } from '../../application/embed/bootstrap.js';
import type { QuoteEmbed, Quotes } from '../../application/embed/quote-embed.js';
import { brandingResource } from '../../domain/branding/branding.js';
import type { Unserved } from '../../domain/capabilities/serves-terms.js';
import { componentMembers, unavailableMembers } from '../../domain/capabilities/capability-rows.js';
import { isoTime } from '../../domain/instant.js';
import { jsonObject, toJsonText } from '../../domain/json.js';
import type { Mode } from '../../domain/mode.js';
import type { Partner } from '../../domain/partner/partner.js';
import { quoteMembers } from '../../domain/quote/quote.js';
import type { Session } from '../../domain/session/session.js';

/** The browser's view of a session: its terms, without the partner's private data. */
function checkoutSession(session: Session) {
  const { terms } = session;
  return {
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
  };
}

/** The browser's view of the partner. */
function checkoutPartner({ id, name }: Partner) {
  return { id, display_name: name };
}

/** The options on offer; `decimals` is the maximum number of decimal places of a currency's amounts. */
function checkoutCapabilities({ flows, paymentMethods, savable, currencies, assets, unavailable, components }: Offer) {
  return {
    flows,
    payment_methods: paymentMethods,
    savable_payment_methods: savable,
    currencies: currencies.map((one) => ({ code: one.code, decimals: one.decimals, flows: one.flows })),
    assets: assets.map((one) => ({
      code: one.code,
      networks: one.networks,
      flows: one.flows,
      unavailable: unavailable.filter(({ asset }) => asset === one.code).map(unavailableMembers),
    })),
    components: components.map((one) => ({ payment_method: one.paymentMethod, ...componentMembers(one) })),
  };
}

/** The session of an embed token, with the intent to resume if one is live. */
export function embedSession(opened: OpenedSession) {
  const { session, partner } = opened;
  return toJsonText({
    ...checkoutSession(session),
    object: 'embed_session',
    flow: session.terms.flow,
    mode: session.mode,
    intent_id: session.intentId,
    settled_intent_id: opened.settledIntentId,
    partner: checkoutPartner(partner),
    capabilities: checkoutCapabilities(opened),
  });
}

/** The bootstrap response (`docs/spec-notes.md`, bootstrap). The branding is null if the partner has set nothing. */
export function bootstrapResource(opened: Bootstrapped) {
  const { session, partner, branding } = opened;
  return jsonObject(
    {
      object: 'embed_bootstrap',
      available: opened.unavailableReason === null,
      unavailable_reason: opened.unavailableReason,
      unavailable_detail: opened.unserved === null ? null : unavailableDetail(opened.unserved),
      mode: opened.mode,
      embed_token: opened.embedToken,
      expires_at: isoTime(opened.expiresAt),
      expires_in: Math.floor((opened.expiresAt - opened.issuedAt) / 1000),
      flow: session?.terms.flow ?? null,
      partner: checkoutPartner(partner),
      session: session === null ? null : checkoutSession(session),
      capabilities: checkoutCapabilities(opened),
    },
    { branding: branding === null ? toJsonText(null) : brandingResource(branding) },
  );
}

/** The term that no provider serves, and the limit that it breaks. Limits that are not the cause are null. */
function unavailableDetail({ term, code, value, currency, minAmount, maxAmount, decimals }: Unserved) {
  return { term, code, value, currency, min_amount: minAmount, max_amount: maxAmount, decimals };
}

/** Quotes for the checkout as a wire resource, one per payment method. */
export function quotesResource(
  found: Omit<Quotes, 'attempt'>,
  request: Pick<QuoteEmbed, 'flow' | 'amount' | 'currency' | 'countryCode'> & { readonly mode: Mode },
) {
  return toJsonText({
    object: 'embed_quotes',
    mode: request.mode,
    flow: request.flow,
    amount: request.amount,
    currency: request.currency,
    country_code: request.countryCode,
    rate_fetched_at: isoTime(found.rateFetchedAt),
    expires_at: isoTime(found.expiresAt),
    quotes: found.quotes.map((quote) => ({
      ...quoteMembers(quote),
      saved_method: quote.savedMethod,
      provider: quote.provider,
    })),
  });
}

/** The response to the removal of a saved method. */
export function removedMethodResource(id: string) {
  return toJsonText({ object: 'saved_payment_method' as const, id, removed: true as const });
}
