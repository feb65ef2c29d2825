// Written by scripts/generate-types.mjs out of spec/.

import type { OpenEnum } from '../types/open.js';

/** The terms of the session, fixed at creation. `amount` is a decimal string with at most 8 decimal places. */
export interface CreateGateSession {
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Where the user goes after success. */
  readonly return_url: string;
  /** Where the user goes after abandoning the checkout. */
  readonly cancel_url?: string | null | undefined;
  /** Crypto asset that is received. */
  readonly target_token?: string | null | undefined;
  /** Network on which the crypto is received. */
  readonly target_network?: string | null | undefined;
  /** Direction: buy (`on_ramp`), sell (`off_ramp`) or `swap`. */
  readonly flow?: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'> | null | undefined;
  /** Address that receives the crypto. */
  readonly wallet_address?: string | null | undefined;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference?: string | null | undefined;
  /** Identity data of a buyer that a trusted partner has verified. Never echoed. */
  readonly kyc_package?:
    | {
        /** Name of the provider. */
        readonly provider: string;
        readonly [more: string]: unknown;
      }
    | null
    | undefined;
  /** Partner data, returned verbatim. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The terms to quote. `amount` has at most the decimal places of `currency`. Only a swap has a source asset. */
export interface PreviewQuotes {
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Code of the crypto asset, such as `USDC`. */
  readonly asset: string;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** Direction of the quote. */
  readonly side: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** ISO 3166-1 alpha-2 code of the buyer’s country. */
  readonly country_code: string;
  /** Code of the network, such as `base`. */
  readonly network?: string | null | undefined;
  /** Crypto asset to sell or swap. */
  readonly source_asset?: string | null | undefined;
  /** Network of the crypto that is sold or swapped. */
  readonly source_network?: string | null | undefined;
}

/** The terms to quote, and the payment method that the quote is for. */
export interface CreateQuote {
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Code of the crypto asset, such as `USDC`. */
  readonly asset: string;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** Direction of the quote. */
  readonly side: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'>;
  /** ISO 3166-1 alpha-2 code of the buyer’s country. */
  readonly country_code: string;
  /** Code of the network, such as `base`. */
  readonly network?: string | null | undefined;
  /** Crypto asset to sell or swap. */
  readonly source_asset?: string | null | undefined;
  /** Network of the crypto that is sold or swapped. */
  readonly source_network?: string | null | undefined;
  /** Code of the payment method. */
  readonly payment_method: OpenEnum<'card' | 'bank_transfer' | 'crypto'>;
}

/** Branding fields to change. An omitted field is unchanged; null clears it. */
export interface UpdateBranding {
  /** Name shown to buyers. */
  readonly display_name?: string | null | undefined;
  /** Logo of the partner, an https URL. */
  readonly logo_url?: string | null | undefined;
  /** Accent color of the checkout, `#rrggbb`. */
  readonly accent_color?: string | null | undefined;
  /** Color scheme of the checkout. */
  readonly theme?: OpenEnum<'light' | 'dark'> | null | undefined;
  /** Where buyers get help, an https URL. */
  readonly support_url?: string | null | undefined;
}

/** Which dead-lettered deliveries to replay, oldest first: 100 by default. */
export interface ReplayDeliveries {
  /** Type of the event. */
  readonly event_type?:
    | OpenEnum<
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
  /** Id of the session. */
  readonly session_id?: string | null | undefined;
  /** Only items created at or after this time. */
  readonly created_after?: string | null | Date | undefined;
  /** Only items created before this time. */
  readonly created_before?: string | null | Date | undefined;
  /** Maximum number of deliveries to replay. */
  readonly limit?: number | null | undefined;
}

/** How long the previous secret keeps signing, in seconds; 0 by default. */
export interface RotateWebhookSecret {
  /** How long the previous secret keeps signing, in seconds. */
  readonly grace_period_seconds?: number | null | undefined;
}

/** The executable quote of the pay-in, and the wallet that receives the crypto. */
export interface CreatePayIn {
  /** Id of the quote that fixes the price, or null. */
  readonly quote_id: string;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference?: string | null | undefined;
  /** Partner data, returned verbatim. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** Address that receives the crypto. */
  readonly wallet_address: string;
}

/** The executable quote of the pay-out, the beneficiary of the fiat, and the address for returned crypto. */
export interface CreatePayOut {
  /** Id of the quote that fixes the price, or null. */
  readonly quote_id: string;
  /** The partner’s own id of its user, echoed in webhooks. */
  readonly user_reference?: string | null | undefined;
  /** Partner data, returned verbatim. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** Bank account that receives the money. */
  readonly beneficiary: {
    readonly type: OpenEnum<'iban'>;
    /** IBAN of the bank account. */
    readonly iban: string;
    /** Name of the holder of the bank account. */
    readonly account_holder: string;
  };
  /** Address that receives the crypto if it has to be returned. */
  readonly refund_address: string;
}

/** The terms to quote. `amount` is a decimal string with at most the decimal places of `currency`. */
export interface QuotePool {
  /** Direction of the quote. */
  readonly side: OpenEnum<'on_ramp' | 'off_ramp'>;
  /** Code of the crypto asset, such as `USDC`. */
  readonly asset: string;
  /** Code of the network, such as `base`. */
  readonly network: string;
  /** Decimal string in `currency`, returned as sent. */
  readonly amount: string;
  /** ISO 4217 code of the currency. */
  readonly currency: string;
  /** Address that receives the crypto. */
  readonly destAddress: string;
}

/** The quote to execute, and the address it was created for. */
export interface TransactPool {
  /** Id of the quote. */
  readonly quoteId: string;
  /** Address that receives the crypto. */
  readonly destAddress: string;
}

/** How far to advance the clock of the sandbox, in whole seconds. */
export interface AdvanceTestClock {
  /** How far to advance the clock, in seconds. */
  readonly seconds: number;
}

/** The scenario to simulate for a session: of its checkout, or an action of the bank of a buyer who has paid. */
export interface Simulate {
  /** What the test buyer or their bank does. */
  readonly scenario: OpenEnum<
    | 'succeed'
    | 'decline'
    | 'kyc_required'
    | 'kyc_rejected'
    | 'processing'
    | 'settlement_error'
    | 'late_settlement'
    | 'abandon'
    | 'charged_back'
    | 'dispute_won'
    | 'refund_returned'
  >;
  /** Amount that `charged_back` takes back. Omit it for all that is left. */
  readonly amount?: string | null | undefined;
}

/** The outcome to simulate for a pay-in or pay-out in test mode. */
export interface SimulateRails {
  /** What the test buyer does. */
  readonly scenario: OpenEnum<'succeed' | 'fail' | 'processing'>;
}
