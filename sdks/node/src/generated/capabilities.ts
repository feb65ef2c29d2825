// Written by scripts/generate-types.mjs out of spec/.

import type { Open } from '../types/open.js';

export interface Asset {
  readonly object: 'asset';
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
  readonly networks: readonly string[];
  readonly flows: readonly Open<'on_ramp' | 'off_ramp' | 'swap'>[];
}

export interface Country {
  readonly object: 'country';
  readonly code: string;
  readonly name: string;
  readonly flows: readonly Open<'on_ramp' | 'off_ramp' | 'swap'>[];
  readonly payment_methods: readonly Open<'card' | 'bank_transfer' | 'crypto'>[];
}

export interface Currency {
  readonly object: 'currency';
  readonly code: string;
  readonly name: string;
  readonly decimals: number;
  readonly flows: readonly Open<'on_ramp' | 'off_ramp' | 'swap'>[];
}

export interface Flow {
  readonly object: 'flow';
  readonly code: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly enabled: boolean;
}

export interface Limit {
  readonly object: 'limit';
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'>;
  readonly currency: string;
  readonly min_amount: string;
  readonly max_amount: string;
}

export interface Network {
  readonly object: 'network';
  readonly code: string;
  readonly name: string;
  readonly address_format: string;
  readonly assets: readonly string[];
}

export interface PaymentMethod {
  readonly object: 'payment_method';
  readonly code: Open<'card' | 'bank_transfer' | 'crypto'>;
  readonly name: string;
  readonly flows: readonly Open<'on_ramp' | 'off_ramp' | 'swap'>[];
  readonly currencies: readonly string[];
}
