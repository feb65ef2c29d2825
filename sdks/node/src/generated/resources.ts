// Written by scripts/generate-types.mjs out of spec/.

import type { OpenEnum } from '../types/open.js';

/** Branding of the checkout in one mode. Fields that were never set are null. */
export interface Branding {
  /** Type of the object. */
  readonly object: 'branding';
  /** Name shown to buyers. */
  readonly display_name: string | null;
  /** Logo of the partner, an https URL. */
  readonly logo_url: string | null;
  /** Accent color of the checkout, `#rrggbb`. */
  readonly accent_color: string | null;
  /** Color scheme of the checkout. */
  readonly theme: OpenEnum<'light' | 'dark'> | null;
  /** Where buyers get help, an https URL. */
  readonly support_url: string | null;
  /** Time of the last change. */
  readonly updated_at: string | null;
}

/** The created session, with its client secret. No other response contains the secret. */
export interface CreatedGateSession {
  /** Id of the object. */
  readonly id: string;
  /** Type of the object. */
  readonly object: 'gate_session';
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'> | null;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Crypto asset that is received. */
  readonly target_token: string | null;
  /** Network on which the crypto is received. */
  readonly target_network: string | null;
  /** Where the user goes after success. */
  readonly return_url: string;
  /** Where the user goes after abandoning the checkout. */
  readonly cancel_url: string | null;
  /** Address that receives the crypto. */
  readonly wallet_address: string | null;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** Whether a trusted partner supplied a `kyc_package`. */
  readonly kyc_pre_verified: boolean;
  /** Current status. */
  readonly status: OpenEnum<'open' | 'completed' | 'expired' | 'cancelled'>;
  /** When it expires. */
  readonly expires_at: string;
  /** Creation time. */
  readonly created_at: string;
  /** Returned verbatim, including key order and number formatting. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Shown once. Only its prefix and hash are stored. */
  readonly client_secret: string;
}

/** An event, as it is delivered. `created_at` is in Unix epoch seconds. */
export interface Event {
  /** UUID of the event. It stays the same on every retry, so deduplicate by it. */
  readonly id: string;
  /** One of gate_session.created, gate_session.kyc_package_accepted, gate_session.processing, gate_session.completed, gate_session.failed, gate_session.cancelled, gate_session.expired, kyc.required, transaction.updated, pay_in.updated, pay_out.updated, partner.quota.warning, webhook.test, partner.quota.exhausted. */
  readonly type: string;
  /** Unix time in seconds at which the event was created. */
  readonly created_at: number;
  /** Position of the event within its session, from 1 without gaps; null for events without a session. */
  readonly sequence: number | null;
  /** Whether this belongs to live mode. */
  readonly livemode: boolean;
  /** Returned verbatim, including key order and number formatting. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Type of the object. */
  readonly object: 'event';
}

/** One attempt to pay for a session. `next_action` is the next step of the buyer, or null. */
export interface GateIntent {
  /** Id of the object. */
  readonly id: string;
  /** Type of the object. */
  readonly object: 'gate_intent';
  /** Id of the session. */
  readonly session_id: string;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** Current status. */
  readonly status: OpenEnum<'created' | 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled'>;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Crypto asset to sell or swap. */
  readonly source_token: string | null;
  /** Network of the crypto that is sold or swapped. */
  readonly source_network: string | null;
  /** Crypto asset that is received. */
  readonly target_token: string | null;
  /** Network on which the crypto is received. */
  readonly target_network: string | null;
  /** Address that receives the crypto. */
  readonly wallet_address: string | null;
  /** Code of the payment method. */
  readonly payment_method: OpenEnum<'card' | 'bank_transfer' | 'crypto'> | null;
  /** Id of the quote that fixes the price, or null. */
  readonly quote_id: string | null;
  /** The next step of the buyer, or null. */
  readonly next_action:
    | {
        /** What the buyer has to do. */
        readonly type: 'kyc';
        /** Level of verification that is required. */
        readonly level: string;
        /** Identity fields to collect. */
        readonly fields: readonly string[];
        /** Sides of an identity document to upload. Absent if none are requested. */
        readonly documents?: readonly OpenEnum<'front' | 'back' | 'selfie'>[] | undefined;
        /** Sides that have arrived. */
        readonly received?: readonly OpenEnum<'front' | 'back' | 'selfie'>[] | undefined;
        /** Whether the documents were submitted and their review is pending. */
        readonly in_review?: boolean | undefined;
      }
    | {
        /** What the buyer has to do. */
        readonly type: 'payment_authentication';
        /** How the payment is authenticated. */
        readonly challenge: 'otp';
        /** Where the one-time code was sent, masked. */
        readonly destination: string;
      }
    | {
        /** What the buyer has to do. */
        readonly type: 'crypto_deposit';
        /** Address to send the crypto to. */
        readonly address: string;
        /** Memo or tag to include with the transfer, or null. */
        readonly memo: string | null;
        /** Code of the network, such as `base`. */
        readonly network: string;
        /** Code of the crypto asset, such as `USDC`. */
        readonly asset: string;
        /** Exact amount to send, as a decimal string. */
        readonly amount: string;
        /** When it expires. */
        readonly expires_at: string;
        /** A deposit in a block by this time is exchanged at the price of the quote. Absent if the price is held until `expires_at`. */
        readonly price_held_until?: string | undefined;
        /** A deposit after `price_held_until` is returned if the price has moved against the operator by more than this, in basis points. */
        readonly price_tolerance_bps?: number | undefined;
      }
    | {
        /** What the buyer has to do. */
        readonly type: 'bank_transfer';
        /** IBAN of the bank account. */
        readonly iban: string;
        /** BIC of the bank. */
        readonly bic: string;
        /** Name of the holder of the bank account. */
        readonly account_holder: string;
        /** Reference to state with the transfer. */
        readonly reference: string;
        /** Exact amount to send, as a decimal string. */
        readonly amount: string;
        /** ISO 4217 code of the currency. */
        readonly currency: string;
        /** When it expires. */
        readonly expires_at: string;
      }
    | {
        /** What the buyer has to do. */
        readonly type: 'redirect';
        /** Page to send the buyer to. */
        readonly url: string;
        /** When it expires. */
        readonly expires_at: string;
      }
    | {
        /** What the buyer has to do. */
        readonly type: 'provider_component';
        /** Name of the provider. */
        readonly provider: string;
        /** Key with which the page opens the component of the provider. */
        readonly public_key: string;
        /** Opens the component for this attempt only. */
        readonly client_secret: string;
        /** When it expires. */
        readonly expires_at: string;
      }
    | null;
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
  /** Number of this attempt within its session, from 1. */
  readonly attempt: number;
  /** Reference of the transaction, or null. */
  readonly tx_refid: string;
  /** Creation time. */
  readonly created_at: string;
  /** Time of the last change. */
  readonly updated_at: string;
  /** When it expires. */
  readonly expires_at: string | null;
  /** When another one-time code can be sent (`send_code`). Null if none can. */
  readonly code_resend_at: string | null;
  /** Progress, in order. */
  readonly stages:
    | readonly {
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
      }[]
    | null;
  /** The money of the intent, from its transaction. Null in responses to changes of the intent. */
  readonly transaction: {
    /** Reference of the transaction: the `tx_refid` of a completed session. */
    readonly refid: string;
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
    /** When it completed, or null. */
    readonly completed_at: string | null;
  } | null;
}

/** One checkout of one buyer, on terms fixed at creation. Amounts are decimal strings, times ISO 8601 in UTC. */
export interface GateSession {
  /** Id of the object. */
  readonly id: string;
  /** Type of the object. */
  readonly object: 'gate_session';
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'> | null;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Crypto asset that is received. */
  readonly target_token: string | null;
  /** Network on which the crypto is received. */
  readonly target_network: string | null;
  /** Where the user goes after success. */
  readonly return_url: string;
  /** Where the user goes after abandoning the checkout. */
  readonly cancel_url: string | null;
  /** Address that receives the crypto. */
  readonly wallet_address: string | null;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** Whether a trusted partner supplied a `kyc_package`. */
  readonly kyc_pre_verified: boolean;
  /** Current status. */
  readonly status: OpenEnum<'open' | 'completed' | 'expired' | 'cancelled'>;
  /** When it expires. */
  readonly expires_at: string;
  /** Creation time. */
  readonly created_at: string;
  /** Returned verbatim, including key order and number formatting. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The completed session. `tx_refid` is the `refid` of its transaction. */
export interface GateSessionCompleted {
  /** Id of the object. */
  readonly id: string;
  /** Type of the object. */
  readonly object: 'gate_session';
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'> | null;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Crypto asset that is received. */
  readonly target_token: string | null;
  /** Network on which the crypto is received. */
  readonly target_network: string | null;
  /** Where the user goes after success. */
  readonly return_url: string;
  /** Where the user goes after abandoning the checkout. */
  readonly cancel_url: string | null;
  /** Address that receives the crypto. */
  readonly wallet_address: string | null;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** Whether a trusted partner supplied a `kyc_package`. */
  readonly kyc_pre_verified: boolean;
  /** Current status. */
  readonly status: OpenEnum<'open' | 'completed' | 'expired' | 'cancelled'>;
  /** When it expires. */
  readonly expires_at: string;
  /** Creation time. */
  readonly created_at: string;
  /** Returned verbatim, including key order and number formatting. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Reference of the transaction, or null. */
  readonly tx_refid: string;
}

/** The session with the failed attempt, and the reason. `attempt` counts from 1. */
export interface GateSessionFailed {
  /** Id of the object. */
  readonly id: string;
  /** Type of the object. */
  readonly object: 'gate_session';
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'> | null;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Crypto asset that is received. */
  readonly target_token: string | null;
  /** Network on which the crypto is received. */
  readonly target_network: string | null;
  /** Where the user goes after success. */
  readonly return_url: string;
  /** Where the user goes after abandoning the checkout. */
  readonly cancel_url: string | null;
  /** Address that receives the crypto. */
  readonly wallet_address: string | null;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** Whether a trusted partner supplied a `kyc_package`. */
  readonly kyc_pre_verified: boolean;
  /** Current status. */
  readonly status: OpenEnum<'open' | 'completed' | 'expired' | 'cancelled'>;
  /** When it expires. */
  readonly expires_at: string;
  /** Creation time. */
  readonly created_at: string;
  /** Returned verbatim, including key order and number formatting. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Id of the intent (the attempt to pay), or null. */
  readonly intent_id: string;
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
    /** When it happened. */
    readonly occurred_at: string;
  };
  /** Number of this attempt within its session, from 1. */
  readonly attempt: number;
}

/** The session whose payment is being processed, and its intent. */
export interface GateSessionProcessing {
  /** Id of the object. */
  readonly id: string;
  /** Type of the object. */
  readonly object: 'gate_session';
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'> | null;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Crypto asset that is received. */
  readonly target_token: string | null;
  /** Network on which the crypto is received. */
  readonly target_network: string | null;
  /** Where the user goes after success. */
  readonly return_url: string;
  /** Where the user goes after abandoning the checkout. */
  readonly cancel_url: string | null;
  /** Address that receives the crypto. */
  readonly wallet_address: string | null;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** Whether a trusted partner supplied a `kyc_package`. */
  readonly kyc_pre_verified: boolean;
  /** Current status. */
  readonly status: OpenEnum<'open' | 'completed' | 'expired' | 'cancelled'>;
  /** When it expires. */
  readonly expires_at: string;
  /** Creation time. */
  readonly created_at: string;
  /** Returned verbatim, including key order and number formatting. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Id of the intent (the attempt to pay), or null. */
  readonly intent_id: string;
}

/** The provider that verified the buyer of a session, and when. Contains nothing of the package itself. */
export interface KycPackageAcceptance {
  /** Type of the object. */
  readonly object: 'kyc_package_acceptance';
  /** Id of the session. */
  readonly session_id: string;
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Name of the provider. */
  readonly provider: string;
  /** When the package was accepted. */
  readonly accepted_at: string;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
}

/** The identity data that an attempt requires, and the deadline for it. */
export interface KycRequirement {
  /** Type of the object. */
  readonly object: 'kyc_requirement';
  /** Id of the session. */
  readonly session_id: string;
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Id of the intent (the attempt to pay), or null. */
  readonly intent_id: string;
  /** Level of verification that is required. */
  readonly level: string;
  /** Why verification is required. */
  readonly reasons: readonly string[];
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference: string | null;
  /** When it expires. */
  readonly expires_at: string;
}

/** The completed sessions of a partner in a month, against its limit. */
export interface PartnerQuota {
  /** Type of the object. */
  readonly object: 'partner_quota';
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Name of the quota. */
  readonly quota: 'completed_sessions';
  /** Completed sessions allowed in the period. */
  readonly limit: number;
  /** Used part of the quota. */
  readonly used: number;
  /** Remaining part of the quota. */
  readonly remaining: number;
  /** Percentage of the quota that was reached. */
  readonly threshold_percent: number;
  /** Start of the period. */
  readonly period_start: string;
  /** End of the period. */
  readonly period_end: string;
}

/** The time of the sandbox, and the work that ran when it was advanced. */
export interface TestClock {
  /** Type of the object. */
  readonly object: 'test_clock';
  /** Current time of the clock. */
  readonly now: string;
  /** Work that ran, in order. */
  readonly fired: readonly {
    /** Type of this entry. */
    readonly type: OpenEnum<'webhook_delivery' | 'task' | 'operation'>;
    /** Id of the delivery or task. */
    readonly id: string;
  }[];
}

/** A change of a session, or a refused request about it. */
export interface TimelineEntry {
  /** Type of the object. */
  readonly object: 'timeline_entry';
  /** When it happened. */
  readonly at: string;
  /** Kind of entry. */
  readonly kind: OpenEnum<'transition' | 'intent' | 'refusal' | 'event' | 'delivery'>;
  /** Id of the request that caused it, or null. */
  readonly request_id: string | null;
  /** One-sentence description of what happened. */
  readonly summary: string;
  /** Returned verbatim, including key order and number formatting. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The delivery of one event to your endpoint: every attempt, and when the next one is due. */
export interface WebhookDelivery {
  /** Id of the object. */
  readonly id: string;
  /** Type of the object. */
  readonly object: 'webhook_delivery';
  /** Id of the event. */
  readonly event_id: string;
  /** Type of the event. */
  readonly event_type: string;
  /** Id of the session. */
  readonly session_id: string | null;
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** URL of the endpoint at the latest attempt, or at creation. */
  readonly url: string | null;
  /** Current status. */
  readonly status: OpenEnum<'pending' | 'retrying' | 'delivered' | 'dead_lettered'>;
  /** Attempts made since the last replay. */
  readonly attempt_count: number;
  /** Attempts made before the delivery is dead-lettered. */
  readonly max_attempts: number;
  /** Number of replays of the delivery. */
  readonly replay_count: number;
  /** HTTP status of the latest response, or null. */
  readonly last_response_status: number | null;
  /** Why the latest attempt failed, or null. */
  readonly last_error: string | null;
  /** When the next attempt is due, or null. */
  readonly next_attempt_at: string | null;
  /** Creation time. */
  readonly created_at: string;
  /** Time of the latest attempt, or null. */
  readonly last_attempt_at: string | null;
  /** When the receiver acknowledged it, or null. */
  readonly delivered_at: string | null;
  /** When the last attempt failed, or null. */
  readonly dead_lettered_at: string | null;
  /** Every attempt, oldest first. */
  readonly attempts: readonly {
    /** Number of the attempt, from 1. */
    readonly number: number;
    /** What caused the attempt. */
    readonly trigger: OpenEnum<'initial' | 'scheduled' | 'replay'>;
    /** Start of the attempt. */
    readonly started_at: string;
    /** Duration of the attempt in milliseconds. */
    readonly duration_ms: number;
    /** HTTP status of the response, or null. */
    readonly response_status: number | null;
    /** First KiB of the response body, or null. */
    readonly response_body: string | null;
    /** Why the attempt failed, or null. */
    readonly error: string | null;
  }[];
}

/** The webhook endpoint of a mode and its recent health. */
export interface WebhookEndpoint {
  /** Type of the object. */
  readonly object: 'webhook_endpoint';
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** URL that webhooks are sent to, or null. */
  readonly url: string | null;
  /** First characters of the signing secret, or null. */
  readonly secret_prefix: string | null;
  /** Current status. */
  readonly status: OpenEnum<'not_configured' | 'paused' | 'healthy' | 'failing'>;
  /** Time since which deliveries to the endpoint are paused, or null. */
  readonly paused_at: string | null;
  /** Failed attempts since the last success. */
  readonly consecutive_failures: number;
  /** Time of the latest acknowledged attempt, or null. */
  readonly last_success_at: string | null;
  /** Time of the latest failed attempt, or null. */
  readonly last_failure_at: string | null;
  /** Why the latest attempt failed, or null. */
  readonly last_error: string | null;
}

/** The number of replayed deliveries, and whether more are left. */
export interface WebhookReplay {
  /** Type of the object. */
  readonly object: 'webhook_replay';
  /** Number of replayed deliveries. */
  readonly replayed: number;
  /** Whether another page follows. */
  readonly has_more: boolean;
}

/** The new signing secret, shown once. The previous secret also signs until `previous_expires_at`. */
export interface WebhookSecret {
  /** Type of the object. */
  readonly object: 'webhook_secret';
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** The signing secret, shown only here. */
  readonly secret: string;
  /** First characters of the secret, to identify it. */
  readonly prefix: string;
  /** Creation time. */
  readonly created_at: string;
  /** When the previous secret stops signing, or null. */
  readonly previous_expires_at: string | null;
}

/** The data of a test event. `livemode` is false in both modes. */
export interface WebhookTest {
  /** Type of the object. */
  readonly object: 'webhook_test';
  /** Whether this belongs to live mode. */
  readonly livemode: false;
  /** Id of the owning partner. */
  readonly partner_id: string;
  /** `test` or `live`. */
  readonly mode: OpenEnum<'test' | 'live'>;
  /** Human-readable text. Never branch on it. */
  readonly message: string;
}

/** The queued test event and its delivery. */
export interface WebhookTestResult {
  /** Type of the object. */
  readonly object: 'webhook_test_result';
  /** Id of the event. */
  readonly event_id: string;
  /** Id of the delivery that carries the test event. */
  readonly delivery_id: string;
  readonly type: OpenEnum<'webhook.test'>;
  /** URL that the test event is sent to. */
  readonly url: string;
  /** When the event was queued. */
  readonly queued_at: string;
}
