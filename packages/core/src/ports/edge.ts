import type { Instant } from '../domain/instant.js';
import type { RateRule, RateState } from '../domain/limits/rate-window.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { DeliveryAttemptResult } from '../domain/webhook/delivery.js';
import type { Contracted } from './contract.js';

/** One clock per mode, which never moves back, and the wall clock of the machine, which may. */
export interface Clock extends Contracted {
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

/**
 * The time of every partner in each mode. A sandbox is at the time of test mode until its partner moves it ahead; that moves no other
 * partner. Time in live mode is the same for all.
 */
export interface Clocks {
  now(scope: Scope): Instant;
  /** The time of a mode, which no partner's advance moves. */
  ofMode(mode: Mode): Instant;
  wall(): Instant;
  /** How far sandboxes are ahead of test mode, in milliseconds, by partner id. Contains only those that are. */
  ahead(): ReadonlyMap<string, number>;
  /** Reads what other processes have stored. Await it before the first request. */
  refresh(): Promise<void>;
  /**
   * Refreshes if the last refresh was long ago. In the background, unless several processes may move sandboxes: the promise then resolves
   * once it has refreshed, or has reported that it cannot.
   */
  follow(): Promise<void> | undefined;
  /** Moves the sandbox of a partner forward to `instant`; does nothing if it is already there. */
  advanceTo(partnerId: string, instant: Instant): Promise<void>;
}

/** The only source of randomness. */
export interface Ids extends Contracted {
  /** 24 hexadecimal digits: 48 bits of milliseconds, 48 random; ids sort by creation. */
  object(now: Instant): string;
  /** `gtx_` and 20 base32 characters: 48 bits of milliseconds, 52 random; sorted like `object`. */
  transaction(now: Instant): string;
  /** A random UUID. With `now`, as for events, one that begins with 48 bits of milliseconds (version 7), if the source supports that. */
  uuid(now?: Instant): string;
  /** Base62 characters for secrets. */
  secret(length: number): string;
}

/**
 * The only place where raw KYC packages are stored, encrypted. Storing is idempotent by session id. A vault that cannot store a package
 * throws, with `outage: true` if a retry may succeed; it never drops a package silently to make room.
 */
export interface KycVault extends Contracted {
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

/**
 * Fixed windows that start at their first hit, on the adapter's own wall clock. Laws: a hit counts in every given rule, blocked or not;
 * windows of different keys are independent; `peek` counts nothing.
 */
export interface RateLimits extends Contracted {
  /** Counts one hit of `key` in each rule; returns the states in the order of the rules. */
  hit(key: string, rules: readonly RateRule[]): Promise<readonly RateState[]> | readonly RateState[];
  peek(key: string, rules: readonly RateRule[]): Promise<readonly RateState[]> | readonly RateState[];
}

/** Sends one HTTP POST to a receiver that may be slow, hostile or on a private network. Never throws. */
export interface WebhookSender extends Contracted {
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
export interface Telemetry extends Contracted {
  /** A condition that needs an operator's attention. */
  alarm(name: AlarmName, fields: Readonly<Record<string, string | number | null>>): void;
  /** A bug or an outage, with the request or task it occurred in. */
  failure(error: unknown, fields: Readonly<Record<string, string | number | null>>): void;
  /** A completed request, attempt or commit, for logs and metrics. */
  note(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** How urgent an alarm is, what it means and what to do. Both appear in logs and in rules of a monitoring system. */
export interface AlarmMeaning {
  /** `critical` needs a person at once; `warning` can wait for working hours. */
  readonly severity: 'critical' | 'warning';
  readonly meaning: string;
}

/** Every alarm of the engine. */
export const ALARMS = {
  settled_after_close: {
    severity: 'critical',
    meaning: 'Money arrived for a session that had already ended. Refund it or fulfil the order manually',
  },
  second_settlement: {
    severity: 'critical',
    meaning: 'Money arrived twice for one session. Refund one of the payments',
  },
  charged_back: {
    severity: 'warning',
    meaning: 'A payment was charged back: a loss of the partner, who was notified by `transaction.updated`',
  },
  session_held_too_long: {
    severity: 'warning',
    meaning:
      'For over a day a payment has been `processing`, or the outcome of a provider call has been unknown. Ask the provider; its callbacks may not arrive',
  },
  provider_step_unknown: {
    severity: 'critical',
    meaning:
      'For five minutes it has been unknown whether a provider call moved money, so a session or payment is held. Check that the provider is reachable. The outcome is looked up until it is known',
  },
  refund_pending_too_long: {
    severity: 'warning',
    meaning:
      'A refund has been pending for a day. It reserves its amount and is looked up until it ends. Ask the provider about the refund that the transaction of `intent_id` shows as `pending`',
  },
  payment_held_too_long: {
    severity: 'warning',
    meaning:
      'For over a day a pay-in or pay-out has been `processing`, or the outcome of a provider call has been unknown. Ask the provider; its callbacks may not arrive',
  },
  delivery_parked: {
    severity: 'critical',
    meaning:
      'A delivery was claimed repeatedly without a result, most likely because it crashes its worker. It is set aside. Find the crash in the log and report it',
  },
  task_parked: {
    severity: 'critical',
    meaning:
      'A task was claimed repeatedly without a result, most likely because it crashes its worker. It is set aside. Find the crash in the log and report it',
  },
  delivery_dead_lettered: {
    severity: 'warning',
    meaning: 'A webhook failed five attempts. Tell the partner; the log has the ids, and `gate show <id>` the attempts',
  },
  clock_skewed: {
    severity: 'warning',
    meaning:
      'The clock of a machine, or of the database, is wrong. All processes use the clock of the database; correct NTP there',
  },
  clock_untrusted: {
    severity: 'critical',
    meaning:
      'The time of the database contradicts itself, or was set by more than a day. All requests get 503 until it is corrected or the processes are restarted',
  },
  history_changed: {
    severity: 'critical',
    meaning: 'The database was restored or lost commits, and all writes are held: run `gate recover status`',
  },
  audit_set_back: {
    severity: 'critical',
    meaning:
      'The audit trail lacks its entry `seen`: someone removed entries from the database, or it was restored. Run `gate audit verify --at-least`',
  },
  events_held_back: {
    severity: 'warning',
    meaning:
      'Lists of events of a partner do not show the newest ones, because a commit has been running for more than 2 s, or the database takes no writes. Look for a transaction of the role of Gateramp in `pg_stat_activity`, and for what blocks it',
  },
  consumer_missing: {
    severity: 'critical',
    meaning:
      'An in-process consumer has events to receive, and no process has its function. Deploy one that has it, or remove the consumer with `gate.admin.removeConsumer`',
  },
  provider_skipped: {
    severity: 'warning',
    meaning:
      'A provider failed or was late five times in a row. It is skipped for quotes and new attempts and probed every 15 s; its existing operations continue. Look for failures with its name in the log',
  },
  work_overdue: {
    severity: 'critical',
    meaning:
      'Due work is not running in a process that takes requests. Check that a worker is running; in an embedded gate, call `gate.start()`',
  },
} as const satisfies Readonly<Record<string, AlarmMeaning>>;

/** The name of an alarm in `ALARMS`. */
export type AlarmName = keyof typeof ALARMS;

/** A position in a trace, by the headers of W3C Trace Context. */
export interface TraceContext {
  readonly traceparent: string;
  /** What vendors add to the trace; absent if there is nothing. */
  readonly tracestate?: string | undefined;
}

/**
 * Records requests and the work they cause as spans of a trace, across processes. Attributes never contain secrets, payment details or
 * personal data. Errors are reported and have no other effect.
 */
export interface Tracer extends Contracted {
  /** The host's current span, such as the one of its own HTTP instrumentation; null if there is none. */
  current(): TraceContext | null;
  /**
   * Null if the trace begins here and is not sampled: nothing that it causes is recorded or passed on. Most requests of a busy server get
   * this answer, so it must be cheap.
   */
  start(span: SpanStart): Span | null;
}

/** A span to start. Names and attributes follow OpenTelemetry's semantic conventions where they exist. */
export interface SpanStart {
  readonly name: string;
  /** As in OpenTelemetry. The engine sends the context of a `client` span itself, so HTTP instrumentation must not add another. */
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  /** Null begins a trace, whatever the host's current span is. */
  readonly parent: TraceContext | null;
  /** Other spans that caused this one, such as that of a request which replayed a delivery. */
  readonly links?: readonly TraceContext[];
  readonly attributes: SpanAttributes;
}

/** Attributes with an undefined value are omitted. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A started span. */
export interface Span extends TraceContext {
  /** False if the trace began elsewhere and is not sampled. Its context is passed on, but no spans are started within it. */
  readonly isRecorded: boolean;
  /** Calls `work` once, with this span as the host's current one. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Called once, if the span is recorded. */
  end(result: SpanEnd): void;
}

/** The end of a span. */
export interface SpanEnd {
  readonly attributes: SpanAttributes;
  /** The `error.type` of a span that failed; null otherwise. */
  readonly errorType: string | null;
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Whether a text is a `traceparent` of version 00. */
export function isTraceparent(text: string): boolean {
  return TRACEPARENT.test(text);
}

/** The context of two headers, or of a row that keeps it; null without a valid `traceparent`. An invalid `tracestate` is dropped. */
export function traceContextOf(
  traceparent: string | null | undefined,
  tracestate: string | null | undefined,
): TraceContext | null {
  if (traceparent === null || traceparent === undefined || !isTraceparent(traceparent)) return null;
  const state = tracestate === null || tracestate === undefined ? null : readTracestate(tracestate);
  return state === null ? { traceparent } : { traceparent, tracestate: state };
}

const STATE_MEMBERS_MAX = 32;
const STATE_LENGTH_MAX = 512;
const LONG_STATE_MEMBER = 128;
const STATE_MEMBER =
  /^([a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/**
 * The members of a `tracestate` that are passed on: at most 512 characters, without members above 128 and then without the last ones, as
 * W3C Trace Context asks. Null if the text is invalid or empty.
 */
export function readTracestate(text: string): string | null {
  let members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  if (members.length > STATE_MEMBERS_MAX || !members.every((member) => STATE_MEMBER.test(member))) return null;
  if (new Set(members.map((member) => member.slice(0, member.indexOf('=')))).size < members.length) return null;
  if (members.join(',').length > STATE_LENGTH_MAX)
    members = members.filter((member) => member.length <= LONG_STATE_MEMBER);
  while (members.join(',').length > STATE_LENGTH_MAX) members.pop();
  return members.length === 0 ? null : members.join(',');
}

/** Waiting with a time limit. The work itself continues after the limit. */
export interface Deadlines extends Contracted {
  within<Value>(work: Promise<Value>, limitMs: number): Promise<TimedResult<Value>>;
  /** Waits briefly so that other work can proceed; correctness must not depend on the duration. */
  rest(ms: number): Promise<void>;
}

/** The value, or the fact that it is late. */
export type TimedResult<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'late' };

/**
 * Fixed windows that start at their first hit, on the adapter's own wall clock. Laws: a hit counts in every given rule, blocked or not;
 * windows of different keys are independent; `peek` counts nothing.
 */
export interface RateLimits extends Contracted {
  /** Counts one hit of `key` in each rule; returns the states in the order of the rules. */
  hit(key: string, rules: readonly RateRule[]): Promise<readonly RateState[]> | readonly RateState[];
  peek(key: string, rules: readonly RateRule[]): Promise<readonly RateState[]> | readonly RateState[];
}

/**
 * Thrown by an adapter that cannot serve at the moment: its database is down, too slow or read-only. The request may or may not have taken
 * effect. The gate responds with 503 and the caller retries; any other thrown error is a bug and becomes a 500.
 */
export class Outage extends Error {
  readonly outage = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'Outage';
  }
}

/**
 * Thrown by an adapter whose database or file this version cannot use, such as one of a later version. Retrying does not help; the message
 * says what to do.
 */
export class InstallationError extends Error {
  override readonly name = 'InstallationError';
}

/** Checks the marker only, so that errors of any class, or of another copy of this package, can carry it. */
export function isOutage(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'outage' in error && error.outage === true;
}

/**
 * An alarm clock. It may lose, repeat and reorder wake-ups and carries no work; the store's due rows are authoritative. Two laws: `onDue`
 * is called soon after a hint's delay (unless the hint was lost), and at least every `SWEEP_MS` in any case.
 */
export interface Scheduler extends Contracted {
  /** Never throws and never blocks. A hint that cannot be delivered is lost, and the next sweep finds the work. */
  wake(hints: readonly WakeHint[]): void;
  /** Calls of `onDue` do not overlap; calls that become due during a run are combined into one run afterwards. */
  start(onDue: () => Promise<void>): Promise<void>;
  /** Stops the calls; waits up to `graceMs` for a running one. */
  close(graceMs: number): Promise<void>;
}

/** Work is due in `delayMs`. A duration and never an instant, because clocks differ. */
export interface WakeHint {
  readonly delayMs: number;
}

/** Interval in milliseconds of the sweeps that make up for lost wake-ups. */
export const SWEEP_MS = 5_000;
