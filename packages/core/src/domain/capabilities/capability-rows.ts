import { SECOND } from '../instant.js';
import { PAYMENT_METHODS, type PaymentMethod } from '../intent/intent.js';
import { isEntitled, type Partner } from '../partner/partner.js';
import type { Policy } from '../policy.js';
import { FLOWS } from '../session/terms.js';
import { type Capabilities, flowsOfNetwork, type ServedComponent, type UnavailableMarket } from './capabilities.js';

/** Object types with a limited lifetime. */
export const TTL_TYPES = ['session', 'embed_token', 'quote', 'intent_action', 'idempotency_key'] as const;

/** Rows of the list of countries, in the order of the capabilities. */
export function countryRows({ countries }: Capabilities) {
  return countries.map(({ code, name, flows, paymentMethods }) => ({
    object: 'country' as const,
    code,
    name,
    flows,
    payment_methods: paymentMethods,
  }));
}

/** Rows of the list of currencies. */
export function currencyRows({ currencies }: Capabilities) {
  return currencies.map(({ code, name, decimals, flows }) => ({
    object: 'currency' as const,
    code,
    name,
    decimals,
    flows,
  }));
}

/** Rows of the list of tokens, each with its networks. */
export function assetRows({ assets, unavailable = [] }: Capabilities) {
  return assets.map(({ code, name, decimals, networks, flows }) => ({
    object: 'asset' as const,
    code,
    name,
    decimals,
    networks,
    flows,
    unavailable: unavailable.filter(({ asset }) => asset === code).map(unavailableMembers),
  }));
}

/** What a token cannot be used for now, as wire members. */
export function unavailableMembers({ flow, side, network, currency }: UnavailableMarket) {
  return { flow, used_as: side, network, currency };
}

/** Rows of the list of networks, each with its tokens. */
export function networkRows({ networks, assets }: Capabilities) {
  return networks.map((network) => ({
    object: 'network' as const,
    code: network.code,
    name: network.name,
    address_format: network.addressFormat,
    assets: assets.filter((asset) => asset.networks.includes(network.code)).map((asset) => asset.code),
    flows: flowsOfNetwork({ assets }, network),
  }));
}

/** Rows of the list of payment methods: the methods served in at least one flow. */
export function paymentMethodRows(served: Capabilities) {
  const { paymentMethods, limits, refundable, savable, fees = [], components = [] } = served;
  return PAYMENT_METHODS.map((code) => {
    const currencies = limits.filter((limit) => limit.paymentMethod === code).map(({ currency }) => currency);
    return {
      object: 'payment_method' as const,
      code,
      name: METHOD_NAMES[code],
      flows: FLOWS.filter((flow) => paymentMethods[flow]?.includes(code) ?? false),
      currencies: [...new Set(currencies)],
      refundable: refundable?.includes(code) ?? false,
      savable: savable?.includes(code) ?? false,
      components: components.filter(({ paymentMethod }) => paymentMethod === code).map(componentMembers),
      fees: fees
        .filter(({ paymentMethod }) => paymentMethod === code)
        .map(({ type, bps, fixedAmount, currency, network }) => ({
          type,
          bps,
          fixed_amount: fixedAmount,
          currency,
          network,
        })),
    };
  }).filter(({ flows }) => flows.length > 0);
}

/** A payment component as wire members. */
export function componentMembers({ provider, wallet, token, frameUrl }: ServedComponent) {
  return { provider, wallet, token, frame_url: frameUrl };
}

/** Lists flows that need an entitlement for every partner, and marks them enabled for entitled partners. */
export function flowRows({ flows }: Capabilities, partner: Pick<Partner, 'entitlements'>) {
  return flows.map((code) => ({
    object: 'flow' as const,
    code,
    enabled: code !== 'swap' || isEntitled(partner, 'swap'),
  }));
}

/** Rows of the list of limits; amounts are decimal strings in the row's currency. */
export function limitRows({ limits }: Capabilities) {
  return limits.map(({ flow, paymentMethod, currency, minAmount, maxAmount, spreadBps }) => ({
    object: 'limit' as const,
    flow,
    payment_method: paymentMethod,
    currency,
    min_amount: minAmount,
    max_amount: maxAmount,
    spread_bps: spreadBps ?? null,
  }));
}

/** Rows of the list of lifetimes, from the policy and the providers' quote lifetime. */
export function ttlRows({ quoteLifetime }: Pick<Capabilities, 'quoteLifetime'>, policy: Policy) {
  const lifetimes: Readonly<Record<(typeof TTL_TYPES)[number], number | null>> = {
    session: policy.sessionLifetime,
    embed_token: policy.embedTokenLifetime,
    quote: quoteLifetime ?? null,
    intent_action: policy.intentActionLifetime,
    idempotency_key: policy.idempotencyRetention,
  };
  return TTL_TYPES.map((type) => {
    const lifetime = lifetimes[type];
    return { object: 'ttl' as const, type, seconds: lifetime === null ? null : Math.floor(lifetime / SECOND) };
  });
}

const METHOD_NAMES: Readonly<Record<PaymentMethod, string>> = {
  card: 'Card',
  bank_transfer: 'Bank transfer',
  crypto: 'Crypto',
};
