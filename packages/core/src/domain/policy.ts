import { DAY, HOUR, MINUTE, SECOND } from './instant.js';

/** The limits that an operator may want to change; other limits are named constants next to their use. Durations are in milliseconds. */
export interface Policy {
  /** Lifetime of a session (spec: Limits). */
  readonly sessionLifetime: number;
  /** Lifetime of an embed token (spec: Embed token). */
  readonly embedTokenLifetime: number;
  /** How long an idempotency key replays its first reply (spec: Idempotency 4). */
  readonly idempotencyRetention: number;
  /**
   * `hold_while_processing`: a session neither expires nor can be cancelled while its money may be moving or a provider step is pending.
   */
  readonly expiry: 'hold_while_processing' | 'strict';
  /** Maximum number of payment attempts per session; limits card testing. */
  readonly attemptsPerSessionMax: number;
  /** Time a buyer has for a required action before the attempt fails. */
  readonly intentActionLifetime: number;
  /** Delays after each failed attempt; the failure after the last delay dead-letters (spec: Delivery rules 2). */
  readonly retryGaps: readonly number[];
  /** Time limit of one delivery attempt: DNS look-up, connection, request and response. */
  readonly attemptTimeout: number;
  /** How long a request waits for the provider before it responds with the current intent. */
  readonly providerAnswerTimeout: number;
  /** Time limit of provider calls for capabilities, quotes and checks of an attempt. */
  readonly providerQuestionTimeout: number;
  /** Consecutive failures after which a provider is skipped for quotes and new attempts. */
  readonly providerErrorsMax: number;
  /** How long a failing provider is skipped before it is called again. */
  readonly providerSkippedFor: number;
  /** Concurrent delivery attempts per lane and process. */
  readonly attemptsInFlightMax: number;
  /** Concurrent delivery attempts per endpoint and lane while slots are free; fewer when slots run short. */
  readonly attemptsPerEndpointMax: number;
  /**
   * How long a kyc_package is stored if the end of its session is never reported; must exceed the lifetime of sessions, including held
   * ones.
   */
  readonly kycRetention: number;
  /** How long finished deliveries and tasks are retained. */
  readonly endedRetention: number;
  /** Requests that take longer get a 503. Their work continues, and a retry with the same idempotency key returns the result. */
  readonly requestTimeout: number;
  /** Concurrent reads, and concurrent writes, per process. Time spent waiting for a provider does not count. */
  readonly requestsInFlightMax: number;
  /** The same limit while several partners send requests; it rises while requests do not slow each other down. */
  readonly requestsContendedMin: number;
  /** Requests that wait this long for a slot are refused with 503. */
  readonly requestWaitMax: number;
  /**
   * Maximum number of unanswered requests, including those waiting for providers; one partner may have half of them. Further requests get a
   * 503.
   */
  readonly requestsUnansweredMax: number;
  /**
   * Sends `RateLimit`, `RateLimit-Policy` and, on a 429, `Retry-After` in addition to the contract's headers, for clients that need them.
   */
  readonly standardRateLimitHeaders: boolean;
  /** Multiplies every rate limit; 1 keeps the limits of the contract. */
  readonly rateLimitFactor: number;
  /** Due work that is not claimed for this long is reported once per process. */
  readonly overdueAlarmAfter: number;
  /** What an advance by a partner moves: its own sandbox, or the clock of test mode, which all partners share. */
  readonly testClock: 'partner' | 'mode';
}

/** The defaults (spec: Limits; `docs/spec-notes.md`). */
export const DEFAULT_POLICY: Policy = {
  sessionLifetime: 24 * HOUR,
  embedTokenLifetime: HOUR,
  idempotencyRetention: DAY,
  expiry: 'hold_while_processing',
  attemptsPerSessionMax: 10,
  intentActionLifetime: 30 * MINUTE,
  retryGaps: [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR],
  attemptTimeout: 10 * SECOND,
  providerAnswerTimeout: 8 * SECOND,
  providerQuestionTimeout: 3 * SECOND,
  providerErrorsMax: 5,
  providerSkippedFor: 15 * SECOND,
  attemptsInFlightMax: 2_048,
  attemptsPerEndpointMax: 256,
  kycRetention: 7 * DAY,
  endedRetention: 30 * DAY,
  requestTimeout: 10 * SECOND,
  requestsInFlightMax: 64,
  requestsContendedMin: 4,
  requestWaitMax: 500,
  requestsUnansweredMax: 2_048,
  standardRateLimitHeaders: false,
  rateLimitFactor: 1,
  overdueAlarmAfter: 15 * SECOND,
  testClock: 'partner',
};
