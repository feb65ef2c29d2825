// Written by scripts/generate-types.mjs out of spec/.

import type { Open } from '../types/open.js';

/** How the checkout of a mode looks; what was never set is null. */
export interface Branding {
  readonly object: 'branding';
  readonly display_name: string | null;
  readonly logo_url: string | null;
  readonly accent_color: string | null;
  readonly theme: Open<'light' | 'dark'> | null;
  readonly support_url: string | null;
  readonly updated_at: string | null;
}

/** The session as it was created, with the client secret for its browser, which reads leave out. */
export interface CreatedGateSession {
  readonly id: string;
  readonly object: 'gate_session';
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'> | null;
  readonly amount: string;
  readonly currency: string;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly wallet_address: string | null;
  readonly user_reference: string | null;
  readonly kyc_pre_verified: boolean;
  readonly status: Open<'open' | 'completed' | 'expired' | 'cancelled'>;
  readonly expires_at: string;
  readonly created_at: string;
  /** Returned as it was given, key order and numbers included. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Shown once. Only its prefix and a hash of it are kept. */
  readonly client_secret: string;
}

/** An event as it is delivered, read back; `created_at` is Unix epoch seconds. */
export interface Event {
  readonly id: string;
  /** One of gate_session.created, gate_session.kyc_package_accepted, gate_session.processing, gate_session.completed, gate_session.failed, gate_session.cancelled, gate_session.expired, kyc.required, transaction.updated, pay_in.updated, pay_out.updated, partner.quota.warning, webhook.test, partner.quota.exhausted. */
  readonly type: string;
  readonly created_at: number;
  readonly sequence: number | null;
  readonly livemode: boolean;
  /** Returned as it was given, key order and numbers included. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly object: 'event';
}

/** One attempt to pay a session; `next_action` says what it waits for, null for nothing. */
export interface GateIntent {
  readonly id: string;
  readonly object: 'gate_intent';
  readonly session_id: string;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly status: Open<'created' | 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled'>;
  readonly amount: string;
  readonly currency: string;
  readonly source_token: string | null;
  readonly source_network: string | null;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly wallet_address: string | null;
  readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'> | null;
  readonly quote_id: string | null;
  readonly next_action:
    | {
        readonly type: 'kyc';
        readonly level: string;
        readonly fields: readonly string[];
      }
    | {
        readonly type: 'payment_authentication';
        readonly challenge: 'otp';
        readonly destination: string;
      }
    | {
        readonly type: 'crypto_deposit';
        readonly address: string;
        readonly memo: string | null;
        readonly network: string;
        readonly asset: string;
        readonly amount: string;
        readonly expires_at: string;
      }
    | null;
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
  readonly attempt: number;
  readonly tx_refid: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at: string | null;
  readonly stages:
    | readonly {
        readonly type: Open<'kyc' | 'screening' | 'payment' | 'deposit' | 'conversion' | 'delivery' | 'payout'>;
        readonly status: Open<'pending' | 'processing' | 'completed' | 'failed'>;
        readonly failure_code: string | null;
        readonly updated_at: string;
      }[]
    | null;
}

/** One checkout of one buyer, on terms fixed at create. Amounts are decimal text, times ISO 8601 in UTC. */
export interface GateSession {
  readonly id: string;
  readonly object: 'gate_session';
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'> | null;
  readonly amount: string;
  readonly currency: string;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly wallet_address: string | null;
  readonly user_reference: string | null;
  readonly kyc_pre_verified: boolean;
  readonly status: Open<'open' | 'completed' | 'expired' | 'cancelled'>;
  readonly expires_at: string;
  readonly created_at: string;
  /** Returned as it was given, key order and numbers included. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The session that settled; `tx_refid` is the `refid` of its transaction. */
export interface GateSessionCompleted {
  readonly id: string;
  readonly object: 'gate_session';
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'> | null;
  readonly amount: string;
  readonly currency: string;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly wallet_address: string | null;
  readonly user_reference: string | null;
  readonly kyc_pre_verified: boolean;
  readonly status: Open<'open' | 'completed' | 'expired' | 'cancelled'>;
  readonly expires_at: string;
  readonly created_at: string;
  /** Returned as it was given, key order and numbers included. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tx_refid: string;
}

/** The session of which an attempt failed, and why; `attempt` counts from 1. */
export interface GateSessionFailed {
  readonly id: string;
  readonly object: 'gate_session';
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'> | null;
  readonly amount: string;
  readonly currency: string;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly wallet_address: string | null;
  readonly user_reference: string | null;
  readonly kyc_pre_verified: boolean;
  readonly status: Open<'open' | 'completed' | 'expired' | 'cancelled'>;
  readonly expires_at: string;
  readonly created_at: string;
  /** Returned as it was given, key order and numbers included. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly intent_id: string;
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
    readonly occurred_at: string;
  };
  readonly attempt: number;
}

/** The session whose money began to move, and the intent that moves it. */
export interface GateSessionProcessing {
  readonly id: string;
  readonly object: 'gate_session';
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly flow: Open<'on_ramp' | 'off_ramp' | 'swap'> | null;
  readonly amount: string;
  readonly currency: string;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly wallet_address: string | null;
  readonly user_reference: string | null;
  readonly kyc_pre_verified: boolean;
  readonly status: Open<'open' | 'completed' | 'expired' | 'cancelled'>;
  readonly expires_at: string;
  readonly created_at: string;
  /** Returned as it was given, key order and numbers included. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly intent_id: string;
}

/** Who vouched for the buyer of a session, and when; nothing of the package itself. */
export interface KycPackageAcceptance {
  readonly object: 'kyc_package_acceptance';
  readonly session_id: string;
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly provider: string;
  readonly accepted_at: string;
  readonly user_reference: string | null;
}

/** What an attempt has to know of its buyer before it goes on, and until when that can be given. */
export interface KycRequirement {
  readonly object: 'kyc_requirement';
  readonly session_id: string;
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly intent_id: string;
  readonly level: string;
  readonly reasons: readonly string[];
  readonly user_reference: string | null;
  readonly expires_at: string;
}

/** How many of the sessions of a month a partner has completed, of how many it may. */
export interface PartnerQuota {
  readonly object: 'partner_quota';
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly quota: 'completed_sessions';
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly threshold_percent: number;
  readonly period_start: string;
  readonly period_end: string;
}

/** What time it is in test mode, and what came due on the way there. */
export interface TestClock {
  readonly object: 'test_clock';
  readonly now: string;
  readonly fired: readonly {
    readonly type: Open<'webhook_delivery' | 'task'>;
    readonly id: string;
  }[];
}

/** One thing that happened to a session, or a call about it that was refused. */
export interface TimelineEntry {
  readonly object: 'timeline_entry';
  readonly at: string;
  readonly kind: Open<'transition' | 'intent' | 'refusal' | 'event' | 'delivery'>;
  readonly request_id: string | null;
  readonly summary: string;
  /** Returned as it was given, key order and numbers included. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** How one event got to your endpoint, or did not: each attempt, and when the next one is due. */
export interface WebhookDelivery {
  readonly id: string;
  readonly object: 'webhook_delivery';
  readonly event_id: string;
  readonly event_type: string;
  readonly session_id: string | null;
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly url: string | null;
  readonly status: Open<'pending' | 'retrying' | 'delivered' | 'dead_lettered'>;
  readonly attempt_count: number;
  readonly max_attempts: number;
  readonly replay_count: number;
  readonly last_response_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly last_attempt_at: string | null;
  readonly delivered_at: string | null;
  readonly dead_lettered_at: string | null;
  readonly attempts: readonly {
    readonly number: number;
    readonly trigger: Open<'initial' | 'scheduled' | 'replay'>;
    readonly started_at: string;
    readonly duration_ms: number;
    readonly response_status: number | null;
    readonly response_body: string | null;
    readonly error: string | null;
  }[];
}

/** Where the webhooks of a mode go, and how that has gone of late. */
export interface WebhookEndpoint {
  readonly object: 'webhook_endpoint';
  readonly mode: Open<'test' | 'live'>;
  readonly url: string | null;
  readonly secret_prefix: string | null;
  readonly status: Open<'not_configured' | 'healthy' | 'failing'>;
  readonly consecutive_failures: number;
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
  readonly last_error: string | null;
}

/** How many deliveries are sent again, and whether others are left. */
export interface WebhookReplay {
  readonly object: 'webhook_replay';
  readonly replayed: number;
  readonly has_more: boolean;
}

/** The new signing secret, shown once; until `previous_expires_at` the one before signs too. */
export interface WebhookSecret {
  readonly object: 'webhook_secret';
  readonly mode: Open<'test' | 'live'>;
  readonly secret: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly previous_expires_at: string | null;
}

/** What a webhook that tries an endpoint carries; `livemode` is false in either mode. */
export interface WebhookTest {
  readonly object: 'webhook_test';
  readonly livemode: false;
  readonly partner_id: string;
  readonly mode: Open<'test' | 'live'>;
  readonly message: string;
}

/** The test event that was queued, and the delivery that carries it. */
export interface WebhookTestResult {
  readonly object: 'webhook_test_result';
  readonly event_id: string;
  readonly delivery_id: string;
  readonly type: Open<'webhook.test'>;
  readonly url: string;
  readonly queued_at: string;
}
