import { PAYMENT_METHODS, type PaymentMethod } from '../intent/intent.js';
import { isEntitled, type Partner } from '../partner/partner.js';
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
};

/** A flow as the wire shows it, and whether anybody serves it. */
export type GateFlow = { readonly object: 'flow'; readonly code: Flow; readonly enabled: boolean };

/** The least and the most that one payment method takes in one flow and currency. */
export type GateLimit = {
  readonly object: 'limit';
  readonly flow: Flow;
  readonly payment_method: PaymentMethod;
  readonly currency: string;
  readonly min_amount: string;
  readonly max_amount: string;
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
export function paymentMethodRows({ paymentMethods, limits }: Capabilities): readonly GatePaymentMethod[] {
  return PAYMENT_METHODS.map((code): GatePaymentMethod => {
    const currencies = limits.filter((limit) => limit.paymentMethod === code).map(({ currency }) => currency);
    return {
      object: 'payment_method',
      code,
      name: METHOD_NAMES[code],
      flows: FLOWS.filter((flow) => paymentMethods[flow]?.includes(code) ?? false),
      currencies: [...new Set(currencies)],
    };
  }).filter(({ flows }) => flows.length > 0);
}

/** A flow that needs an entitlement is listed to everybody, and enabled for those who have it. */
export function flowRows({ flows }: Capabilities, partner: Pick<Partner, 'entitlements'>): readonly GateFlow[] {
  return flows.map((code) => ({
    object: 'flow',
    code,
    enabled: code !== 'swap' || isEntitled(partner, 'swap'),
  }));
}

/** Rows of the list of limits; amounts are decimal text in the row's currency. */
export function limitRows({ limits }: Capabilities): readonly GateLimit[] {
  return limits.map(({ flow, paymentMethod, currency, minAmount, maxAmount }) => ({
    object: 'limit',
    flow,
    payment_method: paymentMethod,
    currency,
    min_amount: minAmount,
    max_amount: maxAmount,
  }));
}

const METHOD_NAMES: Readonly<Record<PaymentMethod, string>> = {
  card: 'Card',
  bank_transfer: 'Bank transfer',
  crypto: 'Crypto',
};
