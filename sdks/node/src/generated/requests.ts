// Written by scripts/generate-types.mjs out of spec/.

import type { Open } from '../types/open.js';

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

export interface UpdateBranding {
  readonly display_name?: string | null | undefined;
  readonly logo_url?: string | null | undefined;
  readonly accent_color?: string | null | undefined;
  readonly theme?: Open<'light' | 'dark'> | null | undefined;
  readonly support_url?: string | null | undefined;
}

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

export interface RotateWebhookSecret {
  readonly grace_period_seconds?: number | null | undefined;
}

export interface CreatePayIn {
  readonly quote_id: string;
  readonly user_reference?: string | null | undefined;
  /** At most 16 KiB of JSON, returned as it was given. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly wallet_address: string;
}

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

export interface QuotePool {
  readonly side: Open<'on_ramp' | 'off_ramp'>;
  readonly asset: string;
  readonly network: string;
  readonly amount: string;
  readonly currency: string;
  readonly destAddress: string;
}

export interface TransactPool {
  readonly quoteId: string;
  readonly destAddress: string;
}

export interface AdvanceTestClock {
  readonly seconds: number;
}

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

export interface SimulateRails {
  readonly scenario: Open<'succeed' | 'fail' | 'processing'>;
}
