// Written by scripts/generate-types.mjs out of spec/.

import type { Open } from '../types/open.js';

/** A price for one payment method, held until `expires_at` for one pay-in or pay-out. */
export interface ExecutableQuote {
  readonly object: 'quote';
  readonly id: string;
  readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'>;
  readonly available: boolean;
  readonly unavailable_reason: string | null;
  readonly source: {
    readonly amount: string | null;
    readonly currency: string | null;
    readonly network: string | null;
  };
  readonly destination: {
    readonly amount: string | null;
    readonly currency: string | null;
    readonly network: string | null;
  };
  readonly exchange_rate: string;
  readonly source_subtotal: string;
  readonly source_total: string;
  readonly fees: readonly {
    readonly type: string;
    readonly amount: string;
    readonly currency: string;
  }[];
  readonly fee_total: string;
  readonly limits: {
    readonly min_amount: string;
    readonly max_amount: string;
    readonly currency: string;
  };
  readonly estimated_settlement_seconds: number;
  readonly expires_at: string;
  readonly mode: Open<'test' | 'live'>;
  readonly side: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly currency: string;
  readonly asset: string;
  readonly network: string;
  readonly amount: string;
  readonly country_code: string;
  readonly status: Open<'open' | 'used' | 'expired'>;
  readonly created_at: string;
}

/** Fiat that comes by bank transfer, by its `instructions`, for crypto that goes to the wallet. */
export interface PayIn {
  readonly object: 'pay_in';
  readonly id: string;
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly status: Open<'created' | 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled'>;
  readonly quote_id: string;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly source: {
    readonly amount: string | null;
    readonly currency: string | null;
    readonly network: string | null;
  };
  readonly destination: {
    readonly amount: string | null;
    readonly currency: string | null;
    readonly network: string | null;
  };
  readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'> | null;
  readonly failure: {
    readonly code: Open<
      | 'payment_declined'
      | 'payment_authentication_failed'
      | 'insufficient_funds'
      | 'payment_expired'
      | 'kyc_rejected'
      | 'kyc_abandoned'
      | 'sanctions_blocked'
      | 'limit_exceeded'
      | 'quote_expired'
      | 'deposit_not_received'
      | 'payout_rejected'
      | 'wallet_address_invalid'
      | 'settlement_error'
      | 'error'
    >;
    readonly stage: Open<'kyc' | 'screening' | 'payment' | 'deposit' | 'conversion' | 'delivery' | 'payout'>;
    readonly message: string;
    readonly retryable: boolean;
  } | null;
  readonly tx_refid: string;
  readonly user_reference: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  /** Returned as it was given, key order and numbers included. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly instructions: {
    readonly type: Open<'bank_transfer'>;
    readonly iban: string;
    readonly bic: string;
    readonly account_holder: string;
    readonly reference: string;
    readonly amount: string;
    readonly currency: string;
    readonly expires_at: string;
  } | null;
  readonly wallet_address: string | null;
}

/** Crypto that comes to the `deposit` address, for fiat that goes to the beneficiary. */
export interface PayOut {
  readonly object: 'pay_out';
  readonly id: string;
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly status: Open<'created' | 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled'>;
  readonly quote_id: string;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly source: {
    readonly amount: string | null;
    readonly currency: string | null;
    readonly network: string | null;
  };
  readonly destination: {
    readonly amount: string | null;
    readonly currency: string | null;
    readonly network: string | null;
  };
  readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'> | null;
  readonly failure: {
    readonly code: Open<
      | 'payment_declined'
      | 'payment_authentication_failed'
      | 'insufficient_funds'
      | 'payment_expired'
      | 'kyc_rejected'
      | 'kyc_abandoned'
      | 'sanctions_blocked'
      | 'limit_exceeded'
      | 'quote_expired'
      | 'deposit_not_received'
      | 'payout_rejected'
      | 'wallet_address_invalid'
      | 'settlement_error'
      | 'error'
    >;
    readonly stage: Open<'kyc' | 'screening' | 'payment' | 'deposit' | 'conversion' | 'delivery' | 'payout'>;
    readonly message: string;
    readonly retryable: boolean;
  } | null;
  readonly tx_refid: string;
  readonly user_reference: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  /** Returned as it was given, key order and numbers included. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly deposit: {
    readonly address: string;
    readonly memo: string | null;
    readonly network: string;
    readonly asset: string;
    readonly amount: string;
    readonly expires_at: string;
  } | null;
  readonly beneficiary: {
    readonly type: Open<'iban'>;
    readonly display: string;
  };
  readonly refund_address: string | null;
}

/** What a pool has in each currency, as decimal text: in all, reserved for trades under way, and free. */
export interface PoolBalance {
  readonly poolId: string;
  readonly balances: readonly {
    readonly currency: string;
    readonly total: string;
    readonly available: string;
    readonly reserved: string;
  }[];
  readonly asOf: string;
}

/** A price of a pool, held until `expiresAt`. Amounts and rates are decimal text, `…Bps` basis points. */
export interface PoolQuote {
  readonly quoteId: string;
  readonly poolId: string;
  readonly side: Open<'on_ramp' | 'off_ramp'>;
  readonly asset: string;
  readonly network: string;
  readonly amountIn: string;
  readonly currencyIn: string;
  readonly amountOut: string;
  readonly currencyOut: string;
  readonly rate: string;
  readonly spreadBps: number;
  readonly feeBps: number;
  readonly totalBps: number;
  readonly destAddress: string;
  readonly expiresAt: string;
  readonly createdAt: string;
}

/** A trade that executed a quote of a pool; amounts and rates are decimal text. */
export interface PoolTrade {
  readonly transactId: string;
  readonly quoteId: string;
  readonly poolId: string;
  readonly status: Open<'processing' | 'completed' | 'failed'>;
  readonly amountIn: string;
  readonly currencyIn: string;
  readonly amountOut: string;
  readonly currencyOut: string;
  readonly rate: string;
  readonly totalBps: number;
  readonly destAddress: string;
  readonly txHash: string | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
}

/** A page of trades of all your pools, newest first; `nextCursor` is null at the end. */
export interface PoolTrades {
  readonly data: readonly PoolTrade[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** A page of your pools, with what each charges in basis points; `nextCursor` is null at the end. */
export interface Pools {
  readonly data: readonly {
    readonly poolId: string;
    readonly asset: string;
    readonly network: string;
    readonly currency: string;
    readonly spreadBps: number;
    readonly feeBps: number;
  }[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** What every payment method would give. Nothing is held: the ids of its quotes are good for nothing. */
export interface QuotePreview {
  readonly object: 'quote_preview';
  readonly mode: Open<'test' | 'live'>;
  readonly side: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly currency: string;
  readonly asset: string;
  readonly network: string;
  readonly amount: string;
  readonly country_code: string;
  readonly rate_fetched_at: string;
  readonly expires_at: string;
  readonly quotes: readonly {
    readonly object: 'quote';
    readonly id: string;
    readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'>;
    readonly available: boolean;
    readonly unavailable_reason: string | null;
    readonly source: {
      readonly amount: string | null;
      readonly currency: string | null;
      readonly network: string | null;
    };
    readonly destination: {
      readonly amount: string | null;
      readonly currency: string | null;
      readonly network: string | null;
    };
    readonly exchange_rate: string;
    readonly source_subtotal: string;
    readonly source_total: string;
    readonly fees: readonly {
      readonly type: string;
      readonly amount: string;
      readonly currency: string;
    }[];
    readonly fee_total: string;
    readonly limits: {
      readonly min_amount: string;
      readonly max_amount: string;
      readonly currency: string;
    };
    readonly estimated_settlement_seconds: number;
    readonly expires_at: string;
  }[];
}

/** A pay-in or a pay-out; `object` tells which. */
export type RailPayment = PayIn | PayOut;

/** How the money of one attempt stands, by its `refid`. Amounts and rates are decimal text, null until known. */
export interface Transaction {
  readonly id: string;
  readonly object: 'transaction';
  readonly refid: string;
  readonly session_id: string | null;
  readonly intent_id: string;
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly status: Open<'pending' | 'processing' | 'completed' | 'failed' | 'refunded' | 'charged_back'>;
  readonly source: {
    readonly amount: string | null;
    readonly currency: string | null;
    readonly network: string | null;
  };
  readonly destination: {
    readonly amount: string | null;
    readonly currency: string | null;
    readonly network: string | null;
  };
  readonly exchange_rate: string | null;
  readonly fees: readonly {
    readonly type: string;
    readonly amount: string;
    readonly currency: string;
  }[];
  readonly fee_total: string | null;
  readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'> | null;
  readonly country_code: string | null;
  readonly wallet_address: string | null;
  readonly tx_hash: string | null;
  readonly user_reference: string | null;
  readonly stages: readonly {
    readonly type: Open<'kyc' | 'screening' | 'payment' | 'deposit' | 'conversion' | 'delivery' | 'payout'>;
    readonly status: Open<'pending' | 'processing' | 'completed' | 'failed'>;
    readonly failure_code: string | null;
    readonly updated_at: string;
  }[];
  readonly failure: {
    readonly code: Open<
      | 'payment_declined'
      | 'payment_authentication_failed'
      | 'insufficient_funds'
      | 'payment_expired'
      | 'kyc_rejected'
      | 'kyc_abandoned'
      | 'sanctions_blocked'
      | 'limit_exceeded'
      | 'quote_expired'
      | 'deposit_not_received'
      | 'payout_rejected'
      | 'wallet_address_invalid'
      | 'settlement_error'
      | 'error'
    >;
    readonly stage: Open<'kyc' | 'screening' | 'payment' | 'deposit' | 'conversion' | 'delivery' | 'payout'>;
    readonly message: string;
    readonly retryable: boolean;
  } | null;
  readonly settled_after_close: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  /** Returned as it was given, key order and numbers included. */
  readonly metadata: Readonly<Record<string, unknown>>;
}
