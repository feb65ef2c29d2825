import { DAY, HOUR, MINUTE, SECOND } from './instant.js';

/**
 * The limits that an operator may want to change; every other limit is a named constant next to its use. Durations are
 * milliseconds.
 */
export interface Policy {
  /** How long a new session may be paid (spec: Limits). */
  readonly sessionLifetime: number;
  /** How long the token of a bootstrap is good (spec: Embed token). */
  readonly embedTokenLifetime: number;
  /** How long a key answers with its first reply (spec: Idempotency 4). */
  readonly idempotencyRetention: number;
  /** `hold_while_processing`: a session whose money may be moving, or with a provider step under way, neither expires nor cancels. */
  readonly expiry: 'hold_while_processing' | 'strict';
  /** Attempts to pay that one session may have: more is trying out cards. */
  readonly attemptsPerSessionMax: number;
  /** How long a buyer has for a required action; then the attempt lapses. */
  readonly intentActionLifetime: number;
  /** Gaps after the previous failure; the failure after the last gap dead-letters (spec: Delivery rules 2). */
  readonly retryGaps: readonly number[];
  /** A delivery attempt ends within this: looking the name up, connecting, sending and reading. */
  readonly attemptTimeout: number;
  /** How long a request waits for the provider before it answers with the current intent. */
  readonly providerAnswerTimeout: number;
  /** How long a provider may take to say what it serves, what it costs and whether it would take an attempt. */
  readonly providerQuestionTimeout: number;
  /** Failures in a row after which a provider is skipped for quotes and new attempts. */
  readonly providerErrorsMax: number;
  /** How long it is skipped before it is asked again. */
  readonly providerSkippedFor: number;
  /** Delivery attempts of one lane that a process makes at once. */
  readonly attemptsInFlightMax: number;
  /** Delivery attempts at once at one endpoint and lane while places are free; fewer when they run short. */
  readonly attemptsPerEndpointMax: number;
  /** How long a kyc_package may be kept if the end of its session is never reported; longer than sessions last, held ones included. */
  readonly kycRetention: number;
  /** How long a delivery that was delivered or given up stays to be asked for, and a task that is done. */
  readonly endedRetention: number;
  /** A request that takes longer is answered 503. Its work continues, and a retry with the same idempotency key returns the outcome. */
  readonly requestTimeout: number;
  /** Reads, and writes, that a process runs at once. Waiting for a provider is not counted. */
  readonly requestsInFlightMax: number;
  /** The same while several partners send requests; more run as long as they do not slow each other down. */
  readonly requestsContendedMin: number;
  /** A request that has waited for its turn so long is refused with 503. */
  readonly requestWaitMax: number;
  /** Requests without an answer, those that wait for providers included; one partner may have half of them. More are refused with 503. */
  readonly requestsUnansweredMax: number;
  /** `RateLimit`, `RateLimit-Policy` and, on a 429, `Retry-After` in addition to the contract's headers, for clients that need them. */
  readonly standardRateLimitHeaders: boolean;
  /** Multiplies every rate limit; 1 is the contract's. */
  readonly rateLimitFactor: number;
  /** Work that is due for so long without being taken is reported by such a process, once. */
  readonly overdueAlarmAfter: number;
}

/** What holds unless a host says otherwise (spec: the numbers; `docs/spec-notes.md`). */
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
};
