import type { Instant } from '../domain/instant.js';
import type { Mode } from '../domain/mode.js';
import type { DeliveryAttemptResult } from '../domain/webhook/delivery.js';

/** One clock per mode, which never moves back, and the wall clock of the machine, which may. */
export interface Clock {
  /** Throws an error with `outage: true` while the time is unknown, so that nothing is decided. */
  now(mode: Mode): Instant;
  /** For signatures and the freshness of callbacks, which other parties compare with their clocks. */
  wall(): Instant;
}

/** A test-mode clock that can be moved forward, but not stopped or moved back. */
export interface AdjustableClock extends Clock {
  /** Moves test-mode time forward to `instant`; does nothing if it is already there. Live time is never changed. */
  advanceTo(instant: Instant): Promise<void>;
}

/** The only source of randomness. */
export interface Ids {
  /** 24 hexadecimal digits: 48 bits of milliseconds, 48 random; ids sort by creation. */
  object(now: Instant): string;
  /** `gtx_` and 20 base32 characters: 48 bits of milliseconds, 52 random; sorted like `object`. */
  transaction(now: Instant): string;
  uuid(): string;
  /** Base62 characters for secrets. */
  secret(length: number): string;
}

/**
 * The only place where raw KYC packages are stored, encrypted. Storing is idempotent by session id. A vault that cannot store a package
 * throws, with `outage: true` if a retry may succeed; it never drops a package silently to make room.
 */
export interface KycVault {
  store(entry: KycVaultEntry): Promise<void>;
  /** Deletes the package of a session that was refused or has ended. Idempotent; does nothing for a session without a package. */
  forget(sessionId: string): Promise<void>;
  /** Deletes packages of the mode past their `forgetBy`, in case a crash prevented `forget`. Called periodically by workers. */
  sweep(mode: Mode, now: Instant): Promise<void>;
}

/** A KYC package for the host's vault. */
export interface KycVaultEntry {
  readonly sessionId: string;
  readonly partnerId: string;
  readonly mode: Mode;
  /** The package as JSON text. */
  readonly body: string;
  /** On the clock of its mode: the package must be deleted by then, whatever the state of the session. */
  readonly forgetBy: Instant;
}

/** Sends one HTTP POST to a receiver that may be slow, hostile or on a private network. Never throws. */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookAnswer>;
  close(): Promise<void>;
}

/** One signed POST. */
export interface WebhookRequest {
  /** The owner of the endpoint, so that one partner's unreachable hosts do not affect another's. */
  readonly partnerId: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Total time, from DNS look-up to the last byte read. */
  readonly timeoutMs: number;
}

/** The result, as recorded in the attempt. */
export type WebhookAnswer = Pick<DeliveryAttemptResult, 'responseStatus' | 'responseBody' | 'error'>;

/** Reports to operators. Calls must not contain secrets or personal data, and must not throw. */
export interface Telemetry {
  /** A condition that needs an operator's attention. */
  alarm(name: AlarmName, fields: Readonly<Record<string, string | number | null>>): void;
  /** A bug or an outage, with the request or task it occurred in. */
  failure(error: unknown, fields: Readonly<Record<string, string | number | null>>): void;
  /** A completed request, attempt or commit, for logs and metrics. */
  note(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** `docs/operating.md` says what to do about each. */
export type AlarmName =
  | 'settled_after_close'
  | 'second_settlement'
  | 'charged_back'
  | 'session_held_too_long'
  | 'provider_step_unknown'
  | 'refund_pending_too_long'
  | 'payment_held_too_long'
  | 'delivery_parked'
  | 'task_parked'
  | 'delivery_dead_lettered'
  | 'clock_skewed'
  | 'clock_untrusted'
  | 'history_changed'
  | 'consumer_missing'
  | 'provider_skipped'
  | 'work_overdue';

/** Waiting with a time limit. The work itself continues after the limit. */
export interface Deadlines {
  within<Value>(work: Promise<Value>, limitMs: number): Promise<TimedResult<Value>>;
  /** Waits briefly so that other work can proceed; correctness must not depend on the duration. */
  rest(ms: number): Promise<void>;
}

/** The value, or the fact that it is late. */
export type TimedResult<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'late' };
