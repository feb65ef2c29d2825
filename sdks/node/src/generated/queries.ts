// Written by scripts/generate-types.mjs out of spec/.

import type { OpenEnum } from '../types/open.js';

/** The query of `GET /v1/gate_sessions`; all members are optional. */
export interface ListSessionsQuery {
  readonly status?: OpenEnum<'open' | 'completed' | 'expired' | 'cancelled'> | undefined;
  readonly flow?: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'> | undefined;
  readonly currency?: string | undefined;
  readonly user_reference?: string | undefined;
  readonly created_after?: string | Date | undefined;
  readonly created_before?: string | Date | undefined;
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

/** The query of `GET /v1/transactions`; all members are optional. */
export interface ListTransactionsQuery {
  readonly status?:
    | OpenEnum<'pending' | 'processing' | 'completed' | 'failed' | 'refunded' | 'charged_back'>
    | undefined;
  readonly flow?: OpenEnum<'on_ramp' | 'off_ramp' | 'swap'> | undefined;
  readonly session_id?: string | undefined;
  readonly user_reference?: string | undefined;
  readonly created_after?: string | Date | undefined;
  readonly created_before?: string | Date | undefined;
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

/** The query of `GET /v1/events`; all members are optional. */
export interface ListEventsQuery {
  readonly type?:
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
    | undefined;
  readonly session_id?: string | undefined;
  readonly created_after?: string | Date | undefined;
  readonly created_before?: string | Date | undefined;
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

/** The query of `GET /v1/webhooks/deliveries`; all members are optional. */
export interface ListDeliveriesQuery {
  readonly status?: OpenEnum<'pending' | 'retrying' | 'delivered' | 'dead_lettered'> | undefined;
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
    | undefined;
  readonly event_id?: string | undefined;
  readonly session_id?: string | undefined;
  readonly created_after?: string | Date | undefined;
  readonly created_before?: string | Date | undefined;
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

/** The query of `GET /v1/rails/pay_ins`; all members are optional. */
export interface ListPayInsQuery {
  readonly created_after?: string | Date | undefined;
  readonly created_before?: string | Date | undefined;
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

/** The query of `GET /v1/rails/pay_outs`; all members are optional. */
export interface ListPayOutsQuery {
  readonly created_after?: string | Date | undefined;
  readonly created_before?: string | Date | undefined;
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

/** The query of `GET /v1/pools/trades`; all members are optional. */
export interface ListPoolTradesQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}
