/**
 * The responses of the API, limited to the fields that the checkout reads. Written by hand, since the page depends on the service's
 * contract only.
 */
export type Flow = 'on_ramp' | 'off_ramp' | 'swap';
export type PaymentMethod = 'card' | 'bank_transfer' | 'crypto';
export type SessionStatus = 'open' | 'completed' | 'cancelled' | 'expired';
export type IntentStatus = 'created' | 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled';

export interface Branding {
  readonly display_name: string | null;
  readonly logo_url: string | null;
  readonly accent_color: string | null;
  readonly theme: 'light' | 'dark' | null;
  readonly support_url: string | null;
}

export interface EmbedSession {
  readonly id: string;
  readonly status: SessionStatus;
  readonly amount: string;
  readonly currency: string;
  readonly flow: Flow | null;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly wallet_address: string | null;
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly intent_id: string | null;
  /** The intent that paid for a completed session. */
  readonly settled_intent_id: string | null;
  readonly partner: { readonly id: string; readonly display_name: string };
  readonly capabilities: Capabilities;
}

/** The term of the session that no provider supports. The bounds are null unless they are the cause. */
export interface UnavailableDetail {
  readonly term: string;
  readonly code: string;
  readonly value: string;
  readonly currency: string | null;
  readonly min_amount: string | null;
  readonly max_amount: string | null;
  readonly decimals: number | null;
}

/** The options on offer. */
export interface Capabilities {
  readonly flows: readonly Flow[];
  readonly currencies: readonly OfferedCurrency[];
  readonly assets: readonly OfferedAsset[];
  /** Absent from older services. */
  readonly components?: readonly OfferedComponent[];
  /** The payment methods that this buyer can save; absent from older services. */
  readonly savable_payment_methods?: readonly PaymentMethod[];
}

/** A card that the buyer has saved. */
export interface SavedMethod {
  readonly id: string;
  readonly type: PaymentMethod;
  readonly brand: string;
  readonly last4: string;
  readonly expiry_month: number;
  readonly expiry_year: number;
  readonly expired: boolean;
  readonly cvc_required: boolean;
}

export interface SavedMethods {
  readonly data: readonly SavedMethod[];
}

export type Wallet = 'apple_pay' | 'google_pay' | 'sandbox_pay';

/** A provider's component that the buyer can pay in. */
export interface OfferedComponent {
  readonly payment_method: PaymentMethod;
  readonly provider: string;
  readonly wallet: Wallet | null;
  readonly token: string;
  readonly frame_url: string;
}

export interface OfferedCurrency {
  readonly code: string;
  /** The maximum number of decimals of its amounts. */
  readonly decimals: number;
  readonly flows: readonly Flow[];
}

export interface OfferedAsset {
  readonly code: string;
  readonly networks: readonly string[];
  readonly flows: readonly Flow[];
  /** What it cannot be used for at the moment; absent from older services. */
  readonly unavailable?: readonly UnavailableUse[];
}

/** A use of an asset that is not possible at the moment. */
export interface UnavailableUse {
  readonly flow: Flow;
  readonly used_as: 'source' | 'target';
  readonly network: string;
  readonly currency: string;
}

export interface Side {
  readonly amount: string;
  readonly currency: string;
  readonly network: string | null;
}

export interface Fee {
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
}

export interface Quote {
  readonly id: string;
  readonly payment_method: PaymentMethod;
  readonly available: boolean;
  readonly unavailable_reason: string | null;
  readonly source: Side;
  readonly destination: Side;
  readonly exchange_rate: string;
  readonly source_subtotal: string;
  readonly source_total: string;
  readonly fees: readonly Fee[];
  readonly fee_total: string;
  readonly limits: Limits;
  readonly estimated_settlement_seconds: number;
  /** The saved method of the request, if it can pay this quote. */
  readonly saved_method: string | null;
  /** The provider whose components can pay this quote. */
  readonly provider: string | null;
}

/** The amount limits of a payment method. */
export interface Limits {
  readonly min_amount: string;
  readonly max_amount: string;
  readonly currency: string;
}

export interface Quotes {
  readonly flow: Flow;
  readonly amount: string;
  readonly currency: string;
  readonly rate_fetched_at: string;
  readonly expires_at: string;
  readonly quotes: readonly Quote[];
}

export interface KycAction {
  readonly type: 'kyc';
  readonly level: string;
  readonly fields: readonly string[];
  /** The sides to upload. This and the next two fields are absent if no document is required. */
  readonly documents?: readonly DocumentSide[];
  readonly received?: readonly DocumentSide[];
  readonly in_review?: boolean;
}

export type DocumentSide = 'front' | 'back' | 'selfie';

export type NextAction =
  | KycAction
  | { readonly type: 'payment_authentication'; readonly challenge: 'otp'; readonly destination: string }
  | Deposit
  | BankTransfer
  | { readonly type: 'redirect'; readonly url: string; readonly expires_at: string }
  | ProviderComponent;

export interface ProviderComponent {
  readonly type: 'provider_component';
  readonly provider: string;
  readonly public_key: string;
  readonly client_secret: string;
  readonly expires_at: string;
}

export interface Deposit {
  readonly type: 'crypto_deposit';
  readonly address: string;
  readonly memo: string | null;
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly expires_at: string;
  readonly price_held_until?: string;
  readonly price_tolerance_bps?: number;
}

export interface BankTransfer {
  readonly type: 'bank_transfer';
  readonly iban: string;
  readonly bic: string;
  readonly account_holder: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly expires_at: string;
}

export interface Failure {
  readonly code: string;
  readonly stage: string;
  readonly message: string;
  readonly retryable: boolean;
}

export interface Intent {
  readonly id: string;
  readonly session_id: string;
  readonly flow: Flow;
  readonly status: IntentStatus;
  readonly amount: string;
  readonly currency: string;
  readonly source_token: string | null;
  readonly source_network: string | null;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly wallet_address: string | null;
  readonly payment_method: PaymentMethod | null;
  readonly next_action: NextAction | null;
  readonly failure: Failure | null;
  readonly tx_refid: string;
  readonly updated_at: string;
  readonly expires_at: string | null;
  /** When another one-time code can be sent; absent from older services. */
  readonly code_resend_at?: string | null;
  readonly stages: readonly Stage[] | null;
  /** Null in responses to writes. */
  readonly transaction: Receipt | null;
}

/** The amounts and the on-chain transaction of an attempt. */
export interface Receipt {
  readonly refid: string;
  readonly source: ReceiptSide;
  readonly destination: ReceiptSide;
  readonly exchange_rate: string | null;
  readonly fees: readonly Fee[];
  readonly fee_total: string | null;
  readonly tx_hash: string | null;
  readonly tx_url: string | null;
  readonly confirmations: { readonly seen: number; readonly required: number } | null;
  readonly completed_at: string | null;
}

/** Members are null until they are known. */
export interface ReceiptSide {
  readonly amount: string | null;
  readonly currency: string | null;
  readonly network: string | null;
}

export interface Stage {
  readonly type: string;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed';
  readonly updated_at: string | null;
}

export interface QuoteBody {
  readonly flow: Flow;
  readonly amount: string;
  readonly currency: string;
  readonly source_token: string | null;
  readonly source_network: string | null;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly payment_method: PaymentMethod | null;
  readonly country_code: string | null;
}

export interface QuotesBody extends QuoteBody {
  readonly saved_method: string | null;
  /** The provider whose component the buyer pays in; null for none. */
  readonly provider: string | null;
}

export interface IntentBody extends QuoteBody {
  readonly quote_id: string;
  readonly wallet_address: string | null;
  readonly refund_address: string | null;
  readonly payout_details:
    | { readonly type: 'iban'; readonly iban: string; readonly account_holder: string }
    | {
        readonly type: 'ach';
        readonly routing_number: string;
        readonly account_number: string;
        readonly account_holder: string;
      }
    | null;
  readonly payment_details:
    | { readonly card_number: string; readonly expiry: string; readonly cvc: string; readonly save?: true }
    | { readonly saved_method: string; readonly cvc?: string }
    | { readonly provider: string; readonly token: string }
    | null;
}

export type ConfirmBody =
  | {
      readonly action: 'kyc';
      /** The values of the fields that the action requires, by field name. */
      readonly kyc: Readonly<Record<string, string>>;
    }
  | { readonly action: 'payment_authentication'; readonly code: string }
  | { readonly action: 'send_code' | 'crypto_deposit' | 'redirect' | 'provider_component' };

/** The response to the bootstrap call of the full page. */
export interface Bootstrap {
  readonly available: boolean;
  readonly unavailable_reason: string | null;
  readonly unavailable_detail: unknown;
  readonly embed_token: string;
  readonly expires_at: string;
  /** Seconds from the time of the response. */
  readonly expires_in: number;
  readonly flow: Flow | null;
  readonly session: Pick<EmbedSession, 'return_url' | 'cancel_url'> | null;
  readonly partner: { readonly id: string; readonly display_name: string };
  readonly capabilities: Capabilities;
  readonly branding: Branding | null;
}
