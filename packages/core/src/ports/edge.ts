import type { Instant } from '../domain/instant.js';
import type { Mode } from '../domain/mode.js';
import type { DeliveryAttemptResult } from '../domain/webhook/delivery.js';

/** One clock per mode, which never steps back, and the wall, which is the machine's clock as it is and may. */
export interface Clock {
  /** Throws an error with `outage: true` while it does not know the time: then nothing may be decided. */
  now(mode: Mode): Instant;
  /** For signatures and the freshness of callbacks, which others compare with clocks of their own. */
  wall(): Instant;
}

/** A test-mode clock that can be moved forward; never frozen, never back. */
export interface AdjustableClock extends Clock {
  /** Moves test-mode time to `instant`, or nowhere if it is there already. Live is never touched. */
  advanceTo(instant: Instant): Promise<void>;
}

/** Chance enters here only. */
export interface Ids {
  /** 24 hex: 48 bits of milliseconds, 48 random; id order is creation order. */
  object(now: Instant): string;
  /** `gtx_` and 20 base32 characters: 48 bits of milliseconds, 52 random; ordered like `object`. */
  transaction(now: Instant): string;
  uuid(): string;
  /** Base62 characters for secrets. */
  secret(length: number): string;
}

/**
 * Raw KYC packages go here and nowhere else, and lie sealed. Storing is idempotent by session id. A vault that cannot
 * keep a package throws, with `outage: true` if it may later: none is dropped in silence to make room for another.
 */
export interface KycVault {
  store(entry: KycVaultEntry): Promise<void>;
  /**
   * The session was refused, or has ended: nothing of it may stay. Called again, or for a session without a package, it
   * changes nothing.
   */
  forget(sessionId: string): Promise<void>;
  /**
   * Forgets what of the mode has reached its `forgetBy`: what a crash kept `forget` from being called for. Workers call
   * it now and then.
   */
  sweep(mode: Mode, now: Instant): Promise<void>;
}

/** A KYC package on its way to the host, who alone keeps it. */
export interface KycVaultEntry {
  readonly sessionId: string;
  readonly partnerId: string;
  readonly mode: Mode;
  /** The package as JSON text. */
  readonly body: string;
  /** By the clock of its mode: nothing of it may stay beyond this, whatever the state of the session. */
  readonly forgetBy: Instant;
}

/** One HTTP POST to a receiver that may be slow, hostile or somewhere private. Never throws. */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookAnswer>;
  close(): Promise<void>;
}

/** One signed POST. */
export interface WebhookRequest {
  /** Whose endpoint it is: one partner's dead hosts may cost another nothing. */
  readonly partnerId: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Total, from look-up to the last byte that is read. */
  readonly timeoutMs: number;
}

/** The result, as the attempt keeps it. */
export type WebhookAnswer = Pick<DeliveryAttemptResult, 'responseStatus' | 'responseBody' | 'error'>;

/** What operators see. No call may carry a secret or personal data; none may throw. */
export interface Telemetry {
  /** Needs an operator's attention. */
  alarm(name: AlarmName, fields: Readonly<Record<string, string | number | null>>): void;
  /** A bug or an outage, with the request or task it belongs to. */
  failure(error: unknown, fields: Readonly<Record<string, string | number | null>>): void;
  /** A request answered, an attempt settled, a commit made: for logs and metrics. */
  note(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** What to do about each: `docs/operating.md`. */
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

/** Patience with a limit. The work itself continues; only the waiting ends. */
export interface Deadlines {
  within<Value>(work: Promise<Value>, limitMs: number): Promise<TimedResult<Value>>;
  /** Lets so many milliseconds pass for others to catch up; nothing may depend on how many they were. */
  rest(ms: number): Promise<void>;
}

/** What came in time, or that it did not. */
export type TimedResult<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'late' };
