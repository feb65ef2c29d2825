// Written by scripts/generate-types.mjs out of spec/.

import type { Open } from '../types/open.js';

/** The terms of a new session, fixed from then on; `amount` is decimal text with at most 8 decimals. */
export interface CreateGateSession {
  readonly amount: string;
  readonly currency: string;
  readonly return_url: string;
  readonly cancel_url?: string | null | undefined;
  readonly target_token?: string | null | undefined;
  readonly target_network?: string | null | undefined;
  readonly flow?: Open<'on_ramp' | 'off_ramp' | 'swap'> | null | undefined;
  readonly wallet_address?: string | null | undefined;
  readonly user_reference?: string | null | undefined;
  readonly kyc_package?:
    | {
        readonly provider: string;
        readonly [more: string]: unknown;
      }
    | null
    | undefined;
  /** At most 16 KiB of JSON, returned as it was given. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What a price is asked for; `amount` is decimal text of `currency`. Only a swap has a source asset. */
export interface PreviewQuotes {
  readonly currency: string;
  readonly asset: string;
  readonly amount: string;
  readonly side: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly country_code: string;
  readonly network?: string | null | undefined;
  readonly source_asset?: string | null | undefined;
  readonly source_network?: string | null | undefined;
}

/** What a price is asked for, and the one payment method it is to be held for. */
export interface CreateQuote {
  readonly currency: string;
  readonly asset: string;
  readonly amount: string;
  readonly side: Open<'on_ramp' | 'off_ramp' | 'swap'>;
  readonly country_code: string;
  readonly network?: string | null | undefined;
  readonly source_asset?: string | null | undefined;
  readonly source_network?: string | null | undefined;
  readonly payment_method: Open<'card' | 'bank_transfer' | 'crypto'>;
}

/** What is to change of how the checkout looks: a field left out stays, null clears. */
export interface UpdateBranding {
  readonly display_name?: string | null | undefined;
  readonly logo_url?: string | null | undefined;
  readonly accent_color?: string | null | undefined;
  readonly theme?: Open<'light' | 'dark'> | null | undefined;
  readonly support_url?: string | null | undefined;
}

/** Which dead-lettered deliveries to send again, the oldest first: 100 by default. */
export interface ReplayDeliveries {
  readonly event_type?:
    | Open<
        | 'gate_session.created'
        | 'gate_session.kyc_package_accepted'
        | 'gate_session.processing'
        | 'gate_session.completed'
        | 'gate_session.failed'
        | 'gate_session.cancelled'
        | 'gate_session.expired'
        | 'kyc.required'
        | 'transaction.updated'
        | 'pay_in.updated'
        | 'pay_out.updated'
        | 'partner.quota.warning'
        | 'webhook.test'
        | 'partner.quota.exhausted'
      >
    | null
    | undefined;
  readonly session_id?: string | null | undefined;
  readonly created_after?: string | null | undefined;
  readonly created_before?: string | null | undefined;
  readonly limit?: number | null | undefined;
}

/** For how many seconds the old secret signs beside the new one; 0 when left out. */
export interface RotateWebhookSecret {
  readonly grace_period_seconds?: number | null | undefined;
}

/** The executable quote that a pay-in uses up, and the wallet that its crypto goes to. */
export interface CreatePayIn {
  readonly quote_id: string;
  readonly user_reference?: string | null | undefined;
  /** At most 16 KiB of JSON, returned as it was given. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly wallet_address: string;
}

/** The executable quote that a pay-out uses up, who gets the fiat, and where crypto would go back to. */
export interface CreatePayOut {
  readonly quote_id: string;
  readonly user_reference?: string | null | undefined;
  /** At most 16 KiB of JSON, returned as it was given. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly beneficiary: {
    readonly type: Open<'iban'>;
    readonly iban: string;
    readonly account_holder: string;
  };
  readonly refund_address: string;
}

/** What a price of a pool is asked for; `amount` is decimal text. */
export interface QuotePool {
  readonly side: Open<'on_ramp' | 'off_ramp'>;
  readonly asset: string;
  readonly network: string;
  readonly amount: string;
  readonly currency: string;
  readonly destAddress: string;
}

/** The quote to execute, and the address that it was made for. */
export interface TransactPool {
  readonly quoteId: string;
  readonly destAddress: string;
}

/** By how many whole seconds to move the time of test mode forward. */
export interface AdvanceTestClock {
  readonly seconds: number;
}

/** What the test buyer of a session is to live through. */
export interface Simulate {
  readonly scenario: Open<
    | 'succeed'
    | 'decline'
    | 'kyc_required'
    | 'kyc_rejected'
    | 'processing'
    | 'settlement_error'
    | 'late_settlement'
    | 'abandon'
  >;
}

/** What becomes of the money of a pay-in or pay-out in test mode. */
export interface SimulateRails {
  readonly scenario: Open<'succeed' | 'fail' | 'processing'>;
}
