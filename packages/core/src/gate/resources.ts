import type { ErrorCode } from '../domain/error-code.js';
import type { Refusal } from '../domain/refusal.js';
import type { SessionStatus } from '../domain/session/session.js';
import type { Flow } from '../domain/session/terms.js';
import type { Mode } from '../domain/mode.js';
import type { TransactionStatus } from '../domain/transaction/transaction.js';

/** The GateSession on the wire (spec: GateSession). */
export interface GateSession {
  readonly id: string;
  readonly object: 'gate_session';
  readonly partner_id: string;
  readonly mode: Mode;
  readonly flow: Flow | null;
  readonly amount: string;
  readonly currency: string;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly wallet_address: string | null;
  readonly user_reference: string | null;
  readonly kyc_pre_verified: boolean;
  readonly status: SessionStatus;
  readonly expires_at: string;
  readonly created_at: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Only the create answer holds the secret. */
export interface CreatedGateSession extends GateSession {
  readonly client_secret: string;
}

/** The create body (spec: Create-session request body). */
export interface CreateGateSession {
  readonly amount: string;
  readonly currency: string;
  readonly return_url: string;
  readonly cancel_url?: string | null;
  readonly target_token?: string | null;
  readonly target_network?: string | null;
  readonly flow?: Flow | null;
  readonly wallet_address?: string | null;
  readonly user_reference?: string | null;
  readonly kyc_package?: Readonly<Record<string, unknown>> | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** The transaction on the wire; the members a host branches on, the rest as they come. */
export interface GateTransaction extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly object: 'transaction';
  readonly refid: string;
  readonly session_id: string;
  readonly intent_id: string;
  readonly status: TransactionStatus;
  readonly settled_after_close: boolean;
}

export type GateRefusal = Refusal<ErrorCode>;
