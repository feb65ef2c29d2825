/** The resources of `/console/v1` that the page reads. Unknown fields are kept, since objects are also shown as JSON. */

export type Mode = 'test' | 'live';
export type Role = 'viewer' | 'support' | 'developer' | 'operator' | 'admin';
export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json };

/** A page of a list, newest first. */
export interface List<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  /** Continues a list that has cursors of its own, as `after`; null at its end. */
  readonly next?: string | null;
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The signed-in person. */
export interface Me {
  readonly actor: { readonly type: string; readonly id: string };
  readonly roles: readonly Role[];
  readonly kind: 'portal' | 'operator';
  /** Null for operators, who name a partner and a mode on every call. */
  readonly partner: Named | null;
  readonly mode: Mode | null;
  readonly partners: readonly Named[];
  readonly expires_at: string | null;
  readonly features: {
    readonly wallets: boolean;
    readonly passkeys: boolean;
    readonly test_clock: boolean;
    readonly checkout_preview: string | null;
    readonly alarms: boolean;
    readonly legs: boolean;
    readonly trail: boolean;
  };
}

/** The person of an open session, or of a sign-in link. */
export interface Identity {
  readonly actor: { readonly id: string };
  readonly role: Role;
  readonly partner: Named | null;
  readonly mode: Mode | null;
}

/** The ways in which people sign in, besides links. */
export interface Doors {
  readonly oidc: { readonly url: string; readonly sign_out_url: string | null } | null;
  readonly passkey: boolean;
  /** Where one-time links come from: a command, or the start of the server. */
  readonly links?: 'command' | 'start' | undefined;
}

export interface Session {
  readonly id: string;
  readonly status: string;
  /** State of the payment; null before the first attempt. */
  readonly payment: string | null;
  readonly flow: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly user_reference: string | null;
  readonly wallet_address: string | null;
  readonly return_url: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface Money {
  readonly amount: string | null;
  readonly currency: string | null;
  readonly network: string | null;
}

export interface Transaction {
  readonly refid: string;
  readonly status: string;
  readonly payment: string | null;
  readonly flow: string;
  readonly session_id: string | null;
  readonly intent_id: string;
  readonly source: Money;
  readonly destination: Money;
  readonly exchange_rate: string | null;
  readonly fee_total: string | null;
  readonly payment_method: string | null;
  readonly wallet_address: string | null;
  readonly tx_hash: string | null;
  readonly tx_url: string | null;
  readonly user_reference: string | null;
  readonly stages: readonly Stage[];
  readonly created_at: string;
  readonly completed_at: string | null;
}

export interface Stage {
  readonly type: string;
  readonly status: string;
  readonly failure_code: string | null;
  readonly updated_at: string;
}

export interface GateEvent {
  readonly id: string;
  readonly type: string;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly sequence: number | null;
  readonly data: { readonly [field: string]: Json };
}

export interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly session_id: string | null;
  readonly url: string | null;
  readonly status: string;
  readonly attempt_count: number;
  readonly max_attempts: number;
  readonly replay_count: number;
  readonly last_response_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly last_attempt_at: string | null;
  readonly delivered_at: string | null;
  readonly attempts: readonly Attempt[];
  /** The bytes that are sent, as text. Only on a single delivery. */
  readonly payload?: string | null;
}

export interface Attempt {
  readonly number: number;
  readonly trigger: string;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
}

export interface Endpoint {
  readonly url: string | null;
  readonly secret_prefix: string | null;
  readonly status: string;
  readonly paused_at: string | null;
  readonly consecutive_failures: number;
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
  readonly last_error: string | null;
  readonly previous_secret_expires_at?: string | null;
}

/** One step of a session's history: everything as it was right after an event. */
export interface Step {
  readonly sequence: number;
  readonly at: string;
  readonly event: { readonly id: string; readonly type: string };
  readonly session: Json;
  readonly transaction: Json;
  /** Every transaction that existed; `object` is null if its state was not kept. Absent in files of earlier versions. */
  readonly transactions?: readonly { readonly refid: string; readonly object: Json }[];
  /** Refunds and disputes that existed, but are in no state that was kept. */
  readonly not_kept?: readonly { readonly type: string; readonly id: string; readonly refid: string }[];
  readonly intents: readonly Json[];
  readonly deliveries: readonly { readonly id: string; readonly status: string; readonly attempts: number }[];
}

export interface History {
  readonly session_id: string;
  /** Whether everything was read. Absent in files of earlier versions. */
  readonly complete?: boolean;
  readonly steps: readonly Step[];
}

export interface Key {
  readonly id: string;
  readonly type: string;
  readonly mode: Mode;
  /** The first characters of the key. */
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly allowed_ips: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

export interface Branding {
  readonly display_name: string | null;
  readonly logo_url: string | null;
  readonly accent_color: string | null;
  readonly theme: string | null;
  readonly support_url: string | null;
  readonly updated_at: string | null;
}

export interface Access {
  readonly id: string;
  readonly actor: { readonly type: string; readonly id: string };
  readonly role: string;
  readonly state: 'invited' | 'active' | 'signed_out' | 'ended' | 'expired';
  /** How many there are. */
  readonly passkeys: number;
  readonly created_at: string;
  readonly expires_at: string;
  readonly ended_at: string | null;
}

/** A passkey of the person who is signed in. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** A change that requires, or required, a second person. */
export interface Approval {
  readonly id: string;
  readonly operation: string;
  readonly partner_id: string | null;
  readonly mode: Mode | null;
  readonly change: {
    readonly params: { readonly [name: string]: string };
    readonly body: { readonly [field: string]: Json };
  };
  readonly reason: string;
  readonly digest: string;
  readonly state: string;
  readonly requested_by: { readonly type: string; readonly id: string };
  readonly requested_at: string;
  readonly expires_at: string;
  readonly decided_by: { readonly type: string; readonly id: string } | null;
  readonly decided_at: string | null;
  readonly note: string | null;
  readonly can: { readonly approve: boolean; readonly decline: boolean; readonly collect: boolean };
}

export interface PoolRow {
  readonly partner_id: string;
  readonly id: string;
  readonly asset: string;
  readonly network: string;
  readonly currency: string;
  readonly spread_bps: number;
  readonly fee_bps: number;
  readonly balances: readonly {
    readonly currency: string;
    readonly total: string;
    readonly available: string;
    readonly reserved: string;
  }[];
}

/** Dead-lettered deliveries of one partner and mode. */
export interface DeadLetters {
  readonly partner_id: string;
  readonly mode: Mode;
  readonly count: number;
  readonly more: boolean;
  readonly by_event_type: { readonly [type: string]: number };
  readonly newest_at: string;
  readonly oldest_at: string;
  readonly last_error: string | null;
}

export type Amounts = { readonly [asset: string]: string };

export interface Wallet {
  readonly network: string;
  readonly address: string;
  readonly status: 'active' | 'paused';
  readonly paused_because: string | null;
  readonly answering: boolean;
  readonly pending_sends: number;
  readonly balances: Amounts;
  readonly spent_today: Amounts;
  readonly max_per_send: Amounts;
  readonly max_per_day: Amounts;
  readonly history: readonly {
    readonly at: string;
    readonly to: string;
    readonly by: string;
    readonly reason: string;
  }[];
}

interface LedgerMoney {
  readonly amount: string;
  readonly currency: string;
}

export interface LegOperation {
  readonly id: string;
  readonly mode: Mode;
  readonly partner_id: string;
  readonly flow: string;
  readonly status: string;
  readonly step: string | null;
  readonly steps: readonly string[];
  readonly reason: string | null;
  readonly source: LedgerMoney | null;
  readonly destination: LedgerMoney | null;
  readonly resolution: { readonly as: string; readonly reason: string; readonly at: string } | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface LegOperationView extends LegOperation {
  readonly owed: readonly LedgerMoney[];
  readonly entries: readonly {
    readonly id: string;
    readonly at: string;
    readonly postings: readonly (LedgerMoney & { readonly account: string })[];
  }[];
}

export interface AuditEntry {
  readonly id: string;
  readonly sequence: number;
  readonly at: string;
  readonly actor: { readonly type: string; readonly id: string | null };
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string } | null;
  readonly partner_id: string | null;
  readonly mode: string | null;
  readonly reason: string | null;
  readonly request_id: string | null;
}

export interface Found {
  readonly type: string;
  readonly id: string;
  readonly label: string | null;
  /** The id or hash that it belongs to. */
  readonly of?: string;
  readonly partner_id?: string | null;
  readonly mode?: Mode | null;
  /** The kind of the transfer by whose hash it was found. */
  readonly transfer?: string;
}

export interface Inspected {
  readonly type: string;
  readonly id: string;
  readonly object: Json;
  readonly caused_by: readonly Found[];
  readonly caused: readonly Found[];
  readonly refused_requests: readonly RefusedRequest[];
}

/** The time of a sandbox, and what is due next in it. */
export interface SandboxClock {
  readonly now: string;
  readonly due: readonly DueWork[];
}

/** A named state of a sandbox. */
export interface Checkpoint {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly sessions: number;
  readonly payments: number;
  readonly work: number;
}

export interface DueWork {
  readonly type: string;
  readonly id: string;
  readonly due_at: string;
  readonly what: string;
  readonly subject_id: string | null;
  readonly attempts: number;
}

/** A request about an object that was answered with an error. */
export interface RefusedRequest {
  readonly request_id: string;
  readonly at: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly code: string;
}
