import { SECOND } from '../instant.js';
import { PAYMENT_METHODS, type PaymentMethod } from '../intent/intent.js';
import { isEntitled, type Partner } from '../partner/partner.js';
import type { Policy } from '../policy.js';
import { FLOWS, type Flow } from '../session/terms.js';
import type { Capabilities } from './capabilities.js';

/** Rows of the discovery lists on the wire. */
export type GateCountry = {
  readonly object: 'country';
  readonly code: string;
  readonly name: string;
  readonly flows: readonly Flow[];
  readonly payment_methods: readonly PaymentMethod[];
};

/** A fiat currency as the wire shows it; `decimals` is the most that its amounts have. */
export type GateCurrency = {
  readonly object: 'currency';
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
  readonly flows: readonly Flow[];
};

/** A token as the wire shows it; `decimals` is the most that its amounts have. */
export type GateAsset = {
  readonly object: 'asset';
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
  readonly networks: readonly string[];
  readonly flows: readonly Flow[];
};

/** A chain as the wire shows it. */
export type GateNetwork = {
  readonly object: 'network';
  readonly code: string;
  readonly name: string;
  readonly address_format: string;
  readonly assets: readonly string[];
};

/** A payment method as the wire shows it. */
export type GatePaymentMethod = {
  readonly object: 'payment_method';
  readonly code: PaymentMethod;
  readonly name: string;
  readonly flows: readonly Flow[];
  readonly currencies: readonly string[];
  /** Whether on-ramp payments by it can be refunded. */
  readonly refundable: boolean;
  readonly fees: readonly GateServedFee[];
};

/** A flow as the wire shows it, and whether a provider serves it. */
export type GateFlow = { readonly object: 'flow'; readonly code: Flow; readonly enabled: boolean };

/** The least and the most that one payment method takes in one flow and currency. */
export type GateLimit = {
  readonly object: 'limit';
  readonly flow: Flow;
  readonly payment_method: PaymentMethod;
  readonly currency: string;
  readonly min_amount: string;
  readonly max_amount: string;
  readonly spread_bps: number | null;
};

/** A fee of a payment method as the wire shows it: a share of the amount and a fixed part. */
export type GateServedFee = {
  readonly type: string;
  readonly bps: number;
  readonly fixed_amount: string;
  readonly currency: string;
  readonly network: string | null;
};

/** Objects with a lifetime. */
export const TTL_TYPES = ['session', 'embed_token', 'quote', 'intent_action', 'idempotency_key'] as const;

/** How long an object of this type is valid; null where no provider states it. */
export type GateTtl = {
  readonly object: 'ttl';
  readonly type: (typeof TTL_TYPES)[number];
  readonly seconds: number | null;
};

/** Rows of the list of countries, in the order of the capabilities. */
export function countryRows({ countries }: Capabilities): readonly GateCountry[] {
  return countries.map(({ code, name, flows, paymentMethods }) => ({
    object: 'country',
    code,
    name,
    flows,
    payment_methods: paymentMethods,
  }));
}

/** Rows of the list of currencies. */
export function currencyRows({ currencies }: Capabilities): readonly GateCurrency[] {
  return currencies.map(({ code, name, decimals, flows }) => ({ object: 'currency', code, name, decimals, flows }));
}

/** Rows of the list of tokens, each with its networks. */
export function assetRows({ assets }: Capabilities): readonly GateAsset[] {
  return assets.map(({ code, name, decimals, networks, flows }) => ({
    object: 'asset',
    code,
    name,
    decimals,
    networks,
    flows,
  }));
}

/** Rows of the list of networks, each with its tokens. */
export function networkRows({ networks, assets }: Capabilities): readonly GateNetwork[] {
  return networks.map(({ code, name, addressFormat }) => ({
    object: 'network',
    code,
    name,
    address_format: addressFormat,
    assets: assets.filter((asset) => asset.networks.includes(code)).map((asset) => asset.code),
  }));
}

/** Rows of the list of payment methods: those that are served in some flow. */
export function paymentMethodRows({
  paymentMethods,
  limits,
  refundable,
  fees = [],
}: Capabilities): readonly GatePaymentMethod[] {
  return PAYMENT_METHODS.map((code): GatePaymentMethod => {
    const currencies = limits.filter((limit) => limit.paymentMethod === code).map(({ currency }) => currency);
    return {
      object: 'payment_method',
      code,
      name: METHOD_NAMES[code],
      flows: FLOWS.filter((flow) => paymentMethods[flow]?.includes(code) ?? false),
      currencies: [...new Set(currencies)],
      refundable: refundable?.includes(code) ?? false,
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

/** A flow that needs an entitlement is listed for all partners, and enabled for those who have it. */
export function flowRows({ flows }: Capabilities, partner: Pick<Partner, 'entitlements'>): readonly GateFlow[] {
  return flows.map((code) => ({
    object: 'flow',
    code,
    enabled: code !== 'swap' || isEntitled(partner, 'swap'),
  }));
}

/** Rows of the list of limits; amounts are decimal text in the row's currency. */
export function limitRows({ limits }: Capabilities): readonly GateLimit[] {
  return limits.map(({ flow, paymentMethod, currency, minAmount, maxAmount, spreadBps }) => ({
    object: 'limit',
    flow,
    payment_method: paymentMethod,
    currency,
    min_amount: minAmount,
    max_amount: maxAmount,
    spread_bps: spreadBps ?? null,
  }));
}

/** Rows of the list of lifetimes, by the policy of the installation and the quotes of its providers. */
export function ttlRows({ quoteLifetime }: Pick<Capabilities, 'quoteLifetime'>, policy: Policy): readonly GateTtl[] {
  const lifetimes: Readonly<Record<GateTtl['type'], number | null>> = {
    session: policy.sessionLifetime,
    embed_token: policy.embedTokenLifetime,
    quote: quoteLifetime ?? null,
    intent_action: policy.intentActionLifetime,
    idempotency_key: policy.idempotencyRetention,
  };
  return TTL_TYPES.map((type) => {
    const lifetime = lifetimes[type];
    return { object: 'ttl', type, seconds: lifetime === null ? null : Math.floor(lifetime / SECOND) };
  });
}

const METHOD_NAMES: Readonly<Record<PaymentMethod, string>> = {
  card: 'Card',
  bank_transfer: 'Bank transfer',
  crypto: 'Crypto',
};
