import type { PaymentMethod } from '../intent/intent.js';
import type { Flow } from '../session/terms.js';

/** What a provider serves, or several of them together: what a partner can discover, and what quotes are given for. */
export interface Capabilities {
  readonly flows: readonly Flow[];
  /** What the fiat of each flow comes or goes by; on a swap, what is sent. */
  readonly paymentMethods: Readonly<Partial<Record<Flow, readonly PaymentMethod[]>>>;
  /** Methods whose on-ramp payments can be refunded; none by default. */
  readonly refundable?: readonly PaymentMethod[];
  readonly countries: readonly ServedCountry[];
  readonly currencies: readonly ServedCurrency[];
  readonly assets: readonly ServedAsset[];
  readonly networks: readonly ServedNetwork[];
  /** One for every flow, payment method and currency that go together. */
  readonly limits: readonly ServedLimit[];
  /** Fees of payments, for partners to show; a quote has those of one payment. */
  readonly fees?: readonly ServedFee[];
  /** How long a quote of the provider is valid, in milliseconds. */
  readonly quoteLifetime?: number;
}

/** ISO 3166-1, two letters in upper case. */
export interface ServedCountry {
  readonly code: string;
  readonly name: string;
  readonly flows: readonly Flow[];
  readonly paymentMethods: readonly PaymentMethod[];
}

/** ISO 4217, three letters in upper case. */
export interface ServedCurrency {
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
  readonly flows: readonly Flow[];
}

/** A token that providers take or give. */
export interface ServedAsset {
  /** In upper case. */
  readonly code: string;
  readonly name: string;
  /** Most fractional digits that its amounts have. */
  readonly decimals: number;
  /** Codes of networks. The first one is meant when none is named. */
  readonly networks: readonly string[];
  readonly flows: readonly Flow[];
}

/** A chain that tokens move on. */
export interface ServedNetwork {
  readonly code: string;
  readonly name: string;
  /** The family its addresses belong to, such as `evm`. */
  readonly addressFormat: string;
}

/** Of the amount in `currency`; both ends are served. */
export interface ServedLimit {
  readonly flow: Flow;
  readonly paymentMethod: PaymentMethod;
  readonly currency: string;
  readonly minAmount: string;
  readonly maxAmount: string;
  /** Margin of the provider in the exchange rate, in whole basis points; absent where it does not state one. */
  readonly spreadBps?: number;
}

/** A share of the amount and a fixed part, in `currency`. */
export interface ServedFee {
  readonly paymentMethod: PaymentMethod;
  /** The same as `fees.type` of a quote. */
  readonly type: string;
  /** Whole basis points of the amount. */
  readonly bps: number;
  readonly fixedAmount: string;
  readonly currency: string;
  /** Null where it is the same on every network. */
  readonly network: string | null;
}

/** What a mode serves without any provider. */
export const NOTHING_SERVED: Capabilities = {
  flows: [],
  paymentMethods: {},
  countries: [],
  currencies: [],
  assets: [],
  networks: [],
  limits: [],
};
