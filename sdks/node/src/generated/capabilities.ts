// Written by scripts/generate-types.mjs out of spec/.

import type { Open } from '../types/open.js';

/** A token, by its code, with the networks it moves on; `decimals` is the most that its amounts have. */
export interface Asset {
  readonly object: 'asset';
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
  readonly networks: readonly string[];
  readonly flows: readonly Open<'on_ramp' | 'off_ramp' | 'swap'>[];
}

/** A country that is served, by its two-letter code, with the flows and the payment methods there. */
export interface Country {
  readonly object: 'country';
  readonly code: string;
  readonly name: string;
  readonly flows: readonly Open<'on_ramp' | 'off_ramp' | 'swap'>[];
  readonly payment_methods: readonly Open<'card' | 'bank_transfer' | 'crypto'>[];
}

/** A fiat currency, by its ISO 4217 code; `decimals` is the most that its amounts have. */
export interface Currency {
  readonly object: 'currency';
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
  readonly flows: readonly Open<'on_ramp' | 'off_ramp' | 'swap'>[];
}

/** A flow (buy, sell or swap), and whether this partner may use it. */
export interface Flow {
  readonly object: 'flow';
  readonly code: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly enabled: boolean;
}

/** The least and the most that one payment method takes in one flow, as decimal text of `currency`. */
export interface Limit {
  readonly object: 'limit';
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'>;
  readonly currency: string;
  readonly min_amount: string;
  readonly max_amount: string;
}

/** A chain, by its code, with the assets on it; `address_format` names the form of its addresses. */
export interface Network {
  readonly object: 'network';
  readonly code: string;
  readonly name: string;
  readonly address_format: string;
  readonly assets: readonly string[];
}

/** A way to pay or be paid, with the flows and the fiat currencies it serves. */
export interface PaymentMethod {
  readonly object: 'payment_method';
  readonly code: Open<'card' | 'bank_transfer' | 'crypto'>;
  readonly name: string;
  readonly flows: readonly Open<'on_ramp' | 'off_ramp' | 'swap'>[];
  readonly currencies: readonly string[];
}
