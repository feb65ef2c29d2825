// Written by scripts/generate-types.mjs out of spec/.

import type { OpenEnum } from '../types/open.js';

/** A price for one payment method, valid until `expires_at` for one pay-in or pay-out. */
export interface ExecutableQuote {
  /** Type of the object. */
  readonly object: 'quote';
  /** Id of the object. */
  readonly id: string;
  /** Code of the payment method. */
  readonly payment_method: OpenEnum<'card' | 'bank_transfer' | 'crypto'>;
  /** Whether it can be used now. */
  readonly available: boolean;
  /** Why it is unavailable, or null. */
  readonly unavailable_reason: string | null;
  /** What the buyer pays. */
  readonly source: {
    /** Decimal string. */
    readonly amount: string | null;
    /** Currency or asset that is paid. */
    readonly currency: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string | null;
  };
  /** What the buyer receives. */
  readonly destination: {
    /** Decimal string. */
    readonly amount: string | null;
    /** Currency or asset that is received. */
    readonly currency: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string | null;
  };
  /** Destination per source, 18 significant digits. */
  readonly exchange_rate: string;
  /** Source amount before fees, as a decimal string. */
  readonly source_subtotal: string;
  /** Source amount including fees, as a decimal string. */
  readonly source_total: string;
  /** Fees included in the price. */
  readonly fees: readonly {
    /** What the fee is for. */
    readonly type: string;
    /** Amount of this fee, as a decimal string in the source currency. */
    readonly amount: string;
    /** Currency of the fee. */
    readonly currency: string;
  }[];
  /** Sum of all fees, as a decimal string. */
  readonly fee_total: string;
  /** Smallest and largest amount, in the source currency. */
  readonly limits: {
    /** Smallest amount, as a decimal string. */
    readonly min_amount: string;
    /** Largest amount, as a decimal string. */
    readonly max_amount: string;
    /** ISO 4217 code of the currency. */
    readonly currency: string;
  };
  /** Expected time until settlement, in seconds. */
  readonly estimated_settlement_seconds: number;
  /** When it expires. */
  readonly expires_at: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Direction of the quote. */
  readonly side: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Code of the crypto asset, such as `USDC`. */
  readonly asset: string;
  /** Code of the network, such as `base`. */
  readonly network: string;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 3166-1 alpha-2 code of the buyer’s country. */
  readonly country_code: string;
  /** Current status. */
  readonly status: OpenEnum<'open' | 'used' | 'expired'>;
  /** Creation time. */
  readonly created_at: string;
}

/** Fiat received by bank transfer, as its `instructions` say, for crypto sent to the wallet. */
export interface PayIn {
  /** Type of the object. */
  readonly object: 'pay_in';
  /** Id of the object. */
  readonly id: string;
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Current status. */
  readonly status: OpenEnum<'created' | 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled'>;
  /** Id of the quote that fixes the price, or null. */
  readonly quote_id: string;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** What the buyer pays. */
  readonly source: {
    /** Decimal string. */
    readonly amount: string | null;
    /** Currency or asset that is paid. */
    readonly currency: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string | null;
  };
  /** What the buyer receives. */
  readonly destination: {
    /** Decimal string. */
    readonly amount: string | null;
    /** Currency or asset that is received. */
    readonly currency: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string | null;
  };
  /** Code of the payment method. */
  readonly payment_method: OpenEnum<'card' | 'bank_transfer' | 'crypto'> | null;
  /** Why it failed, or null. */
  readonly failure: {
    /** Stable code of the failure. */
    readonly code: OpenEnum<
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
      | 'deposit_short'
      | 'deposit_late'
      | 'deposit_wrong_asset'
      | 'deposit_price_moved'
      | 'payout_rejected'
      | 'wallet_address_invalid'
      | 'settlement_error'
      | 'error'
    >;
    /** Stage at which it failed. */
    readonly stage: OpenEnum<
      | 'kyc'
      | 'screening'
      | 'authorization'
      | 'capture'
      | 'payment'
      | 'deposit'
      | 'conversion'
      | 'send'
      | 'delivery'
      | 'payout'
      | 'deposit_over'
      | 'return'
    >;
    /** Human-readable text. Never branch on it. */
    readonly message: string;
    /** Whether another attempt or refund may succeed. */
    readonly retryable: boolean;
  } | null;
  /** Reference of the transaction, or null. */
  readonly tx_refid: string;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** Creation time. */
  readonly created_at: string;
  /** Time of the last change. */
  readonly updated_at: string;
  /** When it completed, or null. */
  readonly completed_at: string | null;
  /** Returned verbatim, including key order and number formatting. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Where the buyer transfers the money, or null. */
  readonly instructions: {
    readonly type: OpenEnum<'bank_transfer'>;
    /** IBAN of the bank account. */
    readonly iban: string;
    /** BIC of the bank. */
    readonly bic: string;
    /** Name of the holder of the bank account. */
    readonly account_holder: string;
    /** Reference to state with the transfer. */
    readonly reference: string;
    /** Exact amount to transfer, as a decimal string. */
    readonly amount: string;
    /** ISO 4217 code of the currency. */
    readonly currency: string;
    /** When it expires. */
    readonly expires_at: string;
  } | null;
  /** Address that receives the crypto. */
  readonly wallet_address: string | null;
}

/** Crypto received at the `deposit` address, for fiat paid to the beneficiary. */
export interface PayOut {
  /** Type of the object. */
  readonly object: 'pay_out';
  /** Id of the object. */
  readonly id: string;
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Current status. */
  readonly status: OpenEnum<'created' | 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled'>;
  /** Id of the quote that fixes the price, or null. */
  readonly quote_id: string;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** What the buyer pays. */
  readonly source: {
    /** Decimal string. */
    readonly amount: string | null;
    /** Currency or asset that is paid. */
    readonly currency: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string | null;
  };
  /** What the buyer receives. */
  readonly destination: {
    /** Decimal string. */
    readonly amount: string | null;
    /** Currency or asset that is received. */
    readonly currency: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string | null;
  };
  /** Code of the payment method. */
  readonly payment_method: OpenEnum<'card' | 'bank_transfer' | 'crypto'> | null;
  /** Why it failed, or null. */
  readonly failure: {
    /** Stable code of the failure. */
    readonly code: OpenEnum<
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
      | 'deposit_short'
      | 'deposit_late'
      | 'deposit_wrong_asset'
      | 'deposit_price_moved'
      | 'payout_rejected'
      | 'wallet_address_invalid'
      | 'settlement_error'
      | 'error'
    >;
    /** Stage at which it failed. */
    readonly stage: OpenEnum<
      | 'kyc'
      | 'screening'
      | 'authorization'
      | 'capture'
      | 'payment'
      | 'deposit'
      | 'conversion'
      | 'send'
      | 'delivery'
      | 'payout'
      | 'deposit_over'
      | 'return'
    >;
    /** Human-readable text. Never branch on it. */
    readonly message: string;
    /** Whether another attempt or refund may succeed. */
    readonly retryable: boolean;
  } | null;
  /** Reference of the transaction, or null. */
  readonly tx_refid: string;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** Creation time. */
  readonly created_at: string;
  /** Time of the last change. */
  readonly updated_at: string;
  /** When it completed, or null. */
  readonly completed_at: string | null;
  /** Returned verbatim, including key order and number formatting. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Where and what to send, or null. */
  readonly deposit: {
    /** Address to send the crypto to. */
    readonly address: string;
    /** Memo or tag to include with the transfer, or null. */
    readonly memo: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string;
    /** Code of the crypto asset, such as `USDC`. */
    readonly asset: string;
    /** Exact amount to send, as a decimal string of `asset`. */
    readonly amount: string;
    /** When it expires. */
    readonly expires_at: string;
    /** A deposit in a block by this time is exchanged at the price of the quote. Absent if the price is held until `expires_at`. */
    readonly price_held_until?: string | undefined;
    /** A deposit after `price_held_until` is returned if the price has moved against the operator by more than this, in basis points. */
    readonly price_tolerance_bps?: number | undefined;
  } | null;
  /** Bank account that receives the money. */
  readonly beneficiary: {
    readonly type: OpenEnum<'iban'>;
    /** Account number with all but its last digits masked. */
    readonly display: string;
  };
  /** Address that receives the crypto if it has to be returned. */
  readonly refund_address: string | null;
}

/** Balances of a pool per currency, as decimal strings: total, reserved for pending trades, and available. */
export interface PoolBalance {
  /** Id of the pool. */
  readonly poolId: string;
  /** One row per currency of the pool. */
  readonly balances: readonly {
    /** Currency or asset of this balance. */
    readonly currency: string;
    /** Sum of `available` and `reserved`, as a decimal string. */
    readonly total: string;
    /** Amount available for trades, as a decimal string. */
    readonly available: string;
    /** Amount reserved by pending trades, as a decimal string. */
    readonly reserved: string;
  }[];
  /** When the balances were read. */
  readonly asOf: string;
}

/** A price of a pool, valid until `expiresAt`. Amounts and rates are decimal strings; `…Bps` are basis points. */
export interface PoolQuote {
  /** Id of the quote. */
  readonly quoteId: string;
  /** Id of the pool. */
  readonly poolId: string;
  /** Direction of the quote. */
  readonly side: OpenEnum<'on_ramp' | 'off_ramp'>;
  /** Code of the crypto asset, such as `USDC`. */
  readonly asset: string;
  /** Code of the network, such as `base`. */
  readonly network: string;
  /** Amount that the partner pays, as a decimal string in `currencyIn`. */
  readonly amountIn: string;
  /** Currency or asset that the partner pays. */
  readonly currencyIn: string;
  /** Amount that the partner receives, as a decimal string in `currencyOut`. */
  readonly amountOut: string;
  /** Currency or asset that the partner receives. */
  readonly currencyOut: string;
  /** Units of `currencyOut` for one unit of `currencyIn`. */
  readonly rate: string;
  /** Spread in basis points. */
  readonly spreadBps: number;
  /** Fee in basis points. */
  readonly feeBps: number;
  /** Sum of spread and fee, in basis points. */
  readonly totalBps: number;
  /** Address that receives the crypto. */
  readonly destAddress: string;
  /** When the quote expires. */
  readonly expiresAt: string;
  /** Creation time. */
  readonly createdAt: string;
}

/** A trade that executed a pool quote. Amounts and rates are decimal strings. */
export interface PoolTrade {
  /** Id of the trade. */
  readonly transactId: string;
  /** Id of the quote. */
  readonly quoteId: string;
  /** Id of the pool. */
  readonly poolId: string;
  /** Current status. */
  readonly status: OpenEnum<'processing' | 'completed' | 'failed'>;
  /** Amount that the partner pays, as a decimal string in `currencyIn`. */
  readonly amountIn: string;
  /** Currency or asset that the partner pays. */
  readonly currencyIn: string;
  /** Amount that the partner receives, as a decimal string in `currencyOut`. */
  readonly amountOut: string;
  /** Currency or asset that the partner receives. */
  readonly currencyOut: string;
  /** Units of `currencyOut` for one unit of `currencyIn`. */
  readonly rate: string;
  /** Sum of spread and fee, in basis points. */
  readonly totalBps: number;
  /** Address that receives the crypto. */
  readonly destAddress: string;
  /** Hash of the on-chain transaction, or null. */
  readonly txHash: string | null;
  /** Creation time. */
  readonly createdAt: string;
  /** When the trade completed, or null. */
  readonly completedAt: string | null;
}

/** A page of trades of all your pools, newest first. `nextCursor` is null on the last page. */
export interface PoolTrades {
  /** Rows of this page. */
  readonly data: readonly PoolTrade[];
  /** Whether another page follows. */
  readonly hasMore: boolean;
  /** Value of `cursor` for the next page, or null at the end. */
  readonly nextCursor: string | null;
}

/** A page of your pools, with spread and fee in basis points. `nextCursor` is null on the last page. */
export interface Pools {
  /** Rows of this page. */
  readonly data: readonly {
    /** Id of the pool. */
    readonly poolId: string;
    /** Code of the crypto asset, such as `USDC`. */
    readonly asset: string;
    /** Code of the network, such as `base`. */
    readonly network: string;
    /** ISO 4217 code of the currency. */
    readonly currency: string;
    /** Spread in basis points. */
    readonly spreadBps: number;
    /** Fee in basis points. */
    readonly feeBps: number;
  }[];
  /** Whether another page follows. */
  readonly hasMore: boolean;
  /** Value of `cursor` for the next page, or null at the end. */
  readonly nextCursor: string | null;
}

/** Quotes of all payment methods. Nothing is reserved: preview quote ids cannot be used to pay. */
export interface QuotePreview {
  /** Type of the object. */
  readonly object: 'quote_preview';
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Direction of the quote. */
  readonly side: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Code of the crypto asset, such as `USDC`. */
  readonly asset: string;
  /** Code of the network, such as `base`. */
  readonly network: string;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 3166-1 alpha-2 code of the buyer’s country. */
  readonly country_code: string;
  /** When the market rate was read. */
  readonly rate_fetched_at: string;
  /** When it expires. */
  readonly expires_at: string;
  /** One quote per payment method, including unavailable ones. */
  readonly quotes: readonly {
    /** Type of the object. */
    readonly object: 'quote';
    /** Id of the object. */
    readonly id: string;
    /** Code of the payment method. */
    readonly payment_method: OpenEnum<'card' | 'bank_transfer' | 'crypto'>;
    /** Whether it can be used now. */
    readonly available: boolean;
    /** Why it is unavailable, or null. */
    readonly unavailable_reason: string | null;
    /** What the buyer pays. */
    readonly source: {
      /** Decimal string. */
      readonly amount: string | null;
      /** Currency or asset that is paid. */
      readonly currency: string | null;
      /** Code of the network, such as `base`. */
      readonly network: string | null;
    };
    /** What the buyer receives. */
    readonly destination: {
      /** Decimal string. */
      readonly amount: string | null;
      /** Currency or asset that is received. */
      readonly currency: string | null;
      /** Code of the network, such as `base`. */
      readonly network: string | null;
    };
    /** Destination per source, 18 significant digits. */
    readonly exchange_rate: string;
    /** Source amount before fees, as a decimal string. */
    readonly source_subtotal: string;
    /** Source amount including fees, as a decimal string. */
    readonly source_total: string;
    /** Fees included in the price. */
    readonly fees: readonly {
      /** What the fee is for. */
      readonly type: string;
      /** Amount of this fee, as a decimal string in the source currency. */
      readonly amount: string;
      /** Currency of the fee. */
      readonly currency: string;
    }[];
    /** Sum of all fees, as a decimal string. */
    readonly fee_total: string;
    /** Smallest and largest amount, in the source currency. */
    readonly limits: {
      /** Smallest amount, as a decimal string. */
      readonly min_amount: string;
      /** Largest amount, as a decimal string. */
      readonly max_amount: string;
      /** ISO 4217 code of the currency. */
      readonly currency: string;
    };
    /** Expected time until settlement, in seconds. */
    readonly estimated_settlement_seconds: number;
    /** When it expires. */
    readonly expires_at: string;
  }[];
}

/** A pay-in or a pay-out, by its `object`. */
export type RailPayment = PayIn | PayOut;

/** The payment of one attempt, by its `refid`. Amounts and rates are decimal strings, null until known. */
export interface Transaction {
  /** Id of the object. */
  readonly id: string;
  /** Type of the object. */
  readonly object: 'transaction';
  /** Reference of the transaction: the `tx_refid` of a completed session. */
  readonly refid: string;
  /** Id of the session. */
  readonly session_id: string | null;
  /** Id of the intent (the attempt to pay), or null. */
  readonly intent_id: string;
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** Current status. */
  readonly status: OpenEnum<'pending' | 'processing' | 'completed' | 'failed' | 'refunded' | 'charged_back'>;
  /** What the buyer pays. */
  readonly source: {
    /** Decimal string. */
    readonly amount: string | null;
    /** Currency or asset that is paid. */
    readonly currency: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string | null;
  };
  /** What the buyer receives. */
  readonly destination: {
    /** Decimal string. */
    readonly amount: string | null;
    /** Currency or asset that is received. */
    readonly currency: string | null;
    /** Code of the network, such as `base`. */
    readonly network: string | null;
  };
  /** Destination per source, 18 significant digits. */
  readonly exchange_rate: string | null;
  /** Fees included in the price. */
  readonly fees: readonly {
    /** What the fee is for. */
    readonly type: string;
    /** Amount of this fee, as a decimal string in the source currency. */
    readonly amount: string;
    /** Currency of the fee. */
    readonly currency: string;
  }[];
  /** Sum of all fees, as a decimal string. */
  readonly fee_total: string | null;
  /** Code of the payment method. */
  readonly payment_method: OpenEnum<'card' | 'bank_transfer' | 'crypto'> | null;
  /** ISO 3166-1 alpha-2 code of the buyer’s country. */
  readonly country_code: string | null;
  /** Address that receives the crypto. */
  readonly wallet_address: string | null;
  /** Hash of the on-chain transaction, or null. */
  readonly tx_hash: string | null;
  /** URL of the on-chain transaction in a block explorer, or null. */
  readonly tx_url: string | null;
  /** Confirmations of the on-chain transaction. Null before anything is sent, and if the provider does not count them. */
  readonly confirmations: {
    /** Number of confirmations, up to the required number. */
    readonly seen: number;
    /** Number of confirmations after which the transaction is final. */
    readonly required: number;
  } | null;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** Progress, in order. */
  readonly stages: readonly {
    /** Type of this entry. */
    readonly type: OpenEnum<
      | 'kyc'
      | 'screening'
      | 'authorization'
      | 'capture'
      | 'payment'
      | 'deposit'
      | 'conversion'
      | 'send'
      | 'delivery'
      | 'payout'
      | 'deposit_over'
      | 'return'
    >;
    /** Current status. */
    readonly status: OpenEnum<'pending' | 'processing' | 'completed' | 'failed'>;
    /** Code of the failure at this stage, or null. */
    readonly failure_code: string | null;
    /** Time of the last change. */
    readonly updated_at: string;
  }[];
  /** Why it failed, or null. */
  readonly failure: {
    /** Stable code of the failure. */
    readonly code: OpenEnum<
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
      | 'deposit_short'
      | 'deposit_late'
      | 'deposit_wrong_asset'
      | 'deposit_price_moved'
      | 'payout_rejected'
      | 'wallet_address_invalid'
      | 'settlement_error'
      | 'error'
    >;
    /** Stage at which it failed. */
    readonly stage: OpenEnum<
      | 'kyc'
      | 'screening'
      | 'authorization'
      | 'capture'
      | 'payment'
      | 'deposit'
      | 'conversion'
      | 'send'
      | 'delivery'
      | 'payout'
      | 'deposit_over'
      | 'return'
    >;
    /** Human-readable text. Never branch on it. */
    readonly message: string;
    /** Whether another attempt or refund may succeed. */
    readonly retryable: boolean;
  } | null;
  /** Whether the money settled after the session had ended. */
  readonly settled_after_close: boolean;
  /** Amount refunded, in the currency of `source`, including refunds that came back (`amount_returned`). Null if nothing was refunded. */
  readonly amount_refunded: string | null;
  /** Amount of refunds that the buyer’s bank sent back, in the currency of `source`. It is paid to the buyer by another way and cannot be refunded again. Null if nothing came back. */
  readonly amount_returned: string | null;
  /** All refunds, oldest first, including those made at the payment processor. */
  readonly refunds: readonly {
    /** Type of the object. */
    readonly object: 'refund';
    /** Id of the object. */
    readonly id: string;
    /** Amount of this refund, as a decimal string. */
    readonly amount: string;
    /** ISO 4217 code of the currency. */
    readonly currency: string | null;
    /** Current status. */
    readonly status: OpenEnum<'pending' | 'succeeded' | 'failed'>;
    /** Note on the refund, or null. */
    readonly reason: string | null;
    /** Why it failed, or null. */
    readonly failure: {
      /** Stable code of the failure. */
      readonly code: string;
      /** Human-readable text. Never branch on it. */
      readonly message: string;
      /** Whether another attempt or refund may succeed. */
      readonly retryable: boolean;
    } | null;
    /** When it became known that the buyer’s bank sent this refund back, or null. */
    readonly returned_at: string | null;
    /** Creation time. */
    readonly created_at: string;
    /** Time of the last change. */
    readonly updated_at: string;
  }[];
  /** All chargebacks of the payment or of parts of it, oldest first. */
  readonly disputes: readonly {
    /** Type of the object. */
    readonly object: 'dispute';
    /** The provider’s id of the dispute. */
    readonly id: string;
    /** Amount that the bank took back, as a decimal string. */
    readonly amount: string;
    /** ISO 4217 code of the currency. */
    readonly currency: string | null;
    /** `open` once the buyer’s bank has taken the money, `lost` when it keeps it for good, `won` when it has given it back. */
    readonly status: OpenEnum<'open' | 'lost' | 'won'>;
    /** Creation time. */
    readonly created_at: string;
    /** Time of the last change. */
    readonly updated_at: string;
  }[];
  /** Creation time. */
  readonly created_at: string;
  /** Time of the last change. */
  readonly updated_at: string;
  /** When it completed, or null. */
  readonly completed_at: string | null;
  /** Returned verbatim, including key order and number formatting. */
  readonly metadata: Readonly<Record<string, unknown>>;
}
