// Written by scripts/generate-types.mjs out of spec/.

import type { OpenEnum } from '../types/open.js';

/** A token, by its code, with its networks; `decimals` is the maximum number of decimal places of an amount. */
export interface Asset {
  /** Type of the object. */
  readonly object: 'asset';
  /** Code of this row. */
  readonly code: string;
  /** Display name. */
  readonly name: string;
  /** Decimal places of its smallest unit. */
  readonly decimals: number;
  /** Networks that are available here. */
  readonly networks: readonly string[];
  /** Flows that are available here. */
  readonly flows: readonly OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>[];
  /** What the asset cannot be used for at the moment, although it is served as a rule. */
  readonly unavailable: readonly {
    /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
    readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
    /** Whether the asset cannot be sent by buyers (`source`), or not be delivered to them (`target`). */
    readonly used_as: OpenEnum<'source' | 'target'>;
    /** Code of the network, such as `base`. */
    readonly network: string;
    /** ISO 4217 code of the currency. */
    readonly currency: string;
  }[];
}

/** A supported country, by its two-letter code, with the flows and payment methods available there. */
export interface Country {
  /** Type of the object. */
  readonly object: 'country';
  /** Code of this row. */
  readonly code: string;
  /** Display name. */
  readonly name: string;
  /** Flows that are available here. */
  readonly flows: readonly OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>[];
  /** Payment methods that are available here. */
  readonly payment_methods: readonly OpenEnum<'card' | 'bank_transfer' | 'crypto'>[];
}

/** A fiat currency, by its ISO 4217 code; `decimals` is the maximum number of decimal places of an amount. */
export interface Currency {
  /** Type of the object. */
  readonly object: 'currency';
  /** Code of this row. */
  readonly code: string;
  /** Display name. */
  readonly name: string;
  /** Decimal places of its smallest unit. */
  readonly decimals: number;
  /** Flows that are available here. */
  readonly flows: readonly OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>[];
}

/** A flow (buy, sell or swap), and whether this partner may use it. */
export interface Flow {
  /** Type of the object. */
  readonly object: 'flow';
  /** Code of this row. */
  readonly code: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** Whether this partner may use the flow. */
  readonly enabled: boolean;
}

/** The smallest and largest amount of one payment method in one flow, as decimal strings in `currency`. */
export interface Limit {
  /** Type of the object. */
  readonly object: 'limit';
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** Code of the payment method. */
  readonly payment_method: OpenEnum<'card' | 'bank_transfer' | 'crypto'>;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Smallest amount, as a decimal string. */
  readonly min_amount: string;
  /** Largest amount, as a decimal string. */
  readonly max_amount: string;
  /** Margin of the provider in the exchange rate, in basis points, or null. */
  readonly spread_bps: number | null;
}

/** A network, by its code, with its assets; `address_format` is the format of its addresses. */
export interface Network {
  /** Type of the object. */
  readonly object: 'network';
  /** Code of this row. */
  readonly code: string;
  /** Display name. */
  readonly name: string;
  /** Format of addresses on this network. */
  readonly address_format: string;
  /** Assets that are available here. */
  readonly assets: readonly string[];
  /** Flows that are available here. */
  readonly flows: readonly OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>[];
}

/** A payment method, with the flows and fiat currencies that it supports. */
export interface PaymentMethod {
  /** Type of the object. */
  readonly object: 'payment_method';
  /** Code of this row. */
  readonly code: OpenEnum<'card' | 'bank_transfer' | 'crypto'>;
  /** Display name. */
  readonly name: string;
  /** Flows that are available here. */
  readonly flows: readonly OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>[];
  /** ISO 4217 codes of the currencies that are available here. */
  readonly currencies: readonly string[];
  /** Whether a completed on-ramp paid by this method can be refunded. */
  readonly refundable: boolean;
  /** Whether buyers can save this method for later on-ramps. */
  readonly savable: boolean;
  /** Payment components of providers, including wallets. */
  readonly components: readonly {
    /** Name of the provider, for `payment_details`. */
    readonly provider: string;
    /** Wallet of the component, or null for the provider’s own card fields. */
    readonly wallet: OpenEnum<'apple_pay' | 'google_pay' | 'sandbox_pay'> | null;
    /** Value of `payment_details.token` that requests the component. */
    readonly token: string;
    /** URL of the component’s page, to show in a frame. */
    readonly frame_url: string;
  }[];
  /** Fees of this payment method. A quote states the fees of one payment. */
  readonly fees: readonly {
    /** What the fee is for. */
    readonly type: string;
    /** Percentage of the amount, in basis points. */
    readonly bps: number;
    /** Fixed part of the fee, as a decimal string. */
    readonly fixed_amount: string;
    /** Currency of the fee. */
    readonly currency: string;
    /** Code of the network with this fee, or null if it is the same on every network. */
    readonly network: string | null;
  }[];
}

/** Lifetime of objects of one type. */
export interface Ttl {
  /** Type of the object. */
  readonly object: 'ttl';
  /** Type of object with this lifetime. */
  readonly type: OpenEnum<'session' | 'embed_token' | 'quote' | 'intent_action' | 'idempotency_key'>;
  /** Lifetime in seconds, or null if no provider states it. */
  readonly seconds: number | null;
}
