import { DAY, HOUR, MINUTE, SECOND } from './instant.js';

/** Every limit has a name and lives here. Durations are milliseconds unless the name says otherwise. */
export interface Policy {
  /** How long a new session may be paid (spec: Limits). */
  readonly sessionLifetime: number;
  /** How long the token of a bootstrap is good (spec: Embed token). */
  readonly embedTokenLifetime: number;
  /** How long a key answers with its first reply (spec: Idempotency 4). */
  readonly idempotencyRetention: number;
  /** `hold_while_processing`: a session whose money may be moving, or with a provider step under way, neither expires nor cancels. */
  readonly expiry: 'hold_while_processing' | 'strict';
  /** A session or payment that is held for longer raises an alarm. */
  readonly holdAlarmAfter: number;
  /** Attempts to pay that one session may have: more is trying out cards. */
  readonly attemptsPerSessionMax: number;
  /** Refunds that one transaction may have, failed ones included. */
  readonly refundsPerTransactionMax: number;
  /** The provider is not asked about one refund more often. */
  readonly refundCheckGapMin: number;
  /** A refund that is pending for so long raises an alarm (`refund_pending_too_long`). */
  readonly refundAlarmAfter: number;
  /** Refused attempts to pay that are kept for the timeline of a session; what comes after is refused all the same. */
  readonly refusalsPerSessionMax: number;
  /** How long a buyer has for a required action; then the attempt lapses. */
  readonly intentActionLifetime: number;
  /** Gaps after the previous failure; the failure after the last gap dead-letters (spec: Delivery rules 2). */
  readonly retryGaps: readonly number[];
  /** A delivery attempt ends within this: looking the name up, connecting, sending and reading. */
  readonly attemptTimeout: number;
  /** A worker has a claimed delivery for this long: several times `attemptTimeout`, so no heartbeat is needed. */
  readonly deliveryLease: number;
  /** A worker has a claimed task for this long; longer than `providerAnswerTimeout`. */
  readonly taskLease: number;
  /** How long a request waits for the provider before it answers with the current intent. */
  readonly providerAnswerTimeout: number;
  /** How long a provider may take to say what it serves, what it costs and whether it would take an attempt. */
  readonly providerQuestionTimeout: number;
  /** Failures in a row after which a provider is skipped for quotes and new attempts. */
  readonly providerErrorsMax: number;
  /** How long it is skipped before it is asked again. */
  readonly providerSkippedFor: number;
  /** Gaps after the previous failure of a task; the last one is repeated. */
  readonly taskRetryGaps: readonly number[];
  /** While a provider step is young, its outcome is looked up at least so often, whatever `taskRetryGaps` says. */
  readonly stepLookupGapMax: number;
  /** How long a provider step counts as young. */
  readonly stepLookupsOftenFor: number;
  /** A provider step whose outcome is unknown for so long raises an alarm (`provider_step_unknown`). */
  readonly stepAlarmAfter: number;
  /** Claims without a recorded result after which work is parked and reported. */
  readonly claimsMax: number;
  /** Items that one claim takes at most. */
  readonly claimBatch: number;
  /** Delivery attempts of one lane that a process makes at once. */
  readonly attemptsInFlightMax: number;
  /** Delivery attempts at once at one endpoint and lane while places are free; fewer when they run short. */
  readonly attemptsPerEndpointMax: number;
  /** Tasks that a process runs at once. */
  readonly tasksInFlightMax: number;
  /** How long a kyc_package may be kept if the end of its session is never reported; longer than sessions last, held ones included. */
  readonly kycRetention: number;
  /** How long a delivery that was delivered or given up stays to be asked for, and a task that is done. */
  readonly endedRetention: number;
  /** How often rows past their retention are deleted. */
  readonly reapEvery: number;
  /** Rows of a mode that one such deletion takes at most. */
  readonly reapBatch: number;
  /** Decisions taken again on fresh state before 503 `try_again`. */
  readonly decisionsMax: number;
  /** A request that takes longer is answered 503. Its work continues, and a retry with the same idempotency key returns the outcome. */
  readonly requestTimeout: number;
  /** Reads, and writes, that a process runs at once. Waiting for a provider is not counted. */
  readonly requestsInFlightMax: number;
  /** The same while several partners send requests; more run as long as they do not slow each other down. */
  readonly requestsContendedMin: number;
  /** Reads, and writes, that wait for their turn; more are refused at once with 503. */
  readonly requestsWaitingMax: number;
  /** A request that has waited for its turn so long is refused with 503. */
  readonly requestWaitMax: number;
  /** Requests without an answer, those that wait for providers included; one partner may have half of them. More are refused with 503. */
  readonly requestsUnansweredMax: number;
  /** One advance of the test clock begins nothing more after so long, and answers how far it came. */
  readonly testAdvanceTimeout: number;
  /** How far the test clock may be moved ahead of the wall clock. It never goes back, and everyone in test mode lives by it. */
  readonly testClockAheadMax: number;
  /** How old or early the timestamp of a signature may be (spec: Signature rules 3). */
  readonly signatureToleranceSeconds: number;
  /** How far the machine's clock may be from the store's before an operator is alarmed (`clock_skewed`). */
  readonly clockSkewAlarm: number;
  /**
   * The store's clock may be set by so much while a process runs, or by as much as the machine's moved with it; beyond
   * that nothing is decided.
   */
  readonly clockStepMax: number;
  /** Bytes of a request body; more is 413. */
  readonly bodyBytesMax: number;
  /** Levels of nesting that a body may have. */
  readonly bodyDepthMax: number;
  /** Bytes of `metadata`, as sent. */
  readonly metadataBytesMax: number;
  /** Failed fields that one answer names. */
  readonly fieldErrorsMax: number;
  /** Bytes of a receiver’s answer that are kept with the attempt. */
  readonly responseKeepBytes: number;
  /** Bytes of a receiver’s answer that are read before the connection is cut. */
  readonly responseReadBytesMax: number;
  /** A look-up of a receiver's name ends within this; the rest of the attempt's time is for the receiver. */
  readonly lookupTimeout: number;
  /** Names looked up at once, in all. From half of them on a partner may have one. */
  readonly lookupsInFlightMax: number;
  /** Names of one partner looked up at once while there is room. */
  readonly lookupsPerPartnerMax: number;
  /** How long the addresses of a name are used again. */
  readonly lookupKept: number;
  /** How long a name without any address is not asked for again. */
  readonly failedLookupKept: number;
  /** Share of the quota at which `partner.quota.warning` is sent. */
  readonly quotaWarningPercent: number;
  /** `RateLimit`, `RateLimit-Policy` and, on a 429, `Retry-After` in addition to the contract's headers, for clients that need them. */
  readonly standardRateLimitHeaders: boolean;
  /** Multiplies every rate limit; 1 is the contract's. */
  readonly rateLimitFactor: number;
  /** How long the price of a pool quote holds; it is good at that very instant. */
  readonly poolQuoteLifetime: number;
  /** The provider of pools is not asked about one trade more often. */
  readonly poolCheckGapMin: number;
  /** How often a process that never worked checks whether another does. */
  readonly overdueLookEvery: number;
  /** Work that is due for so long without being taken is reported by such a process, once. */
  readonly overdueAlarmAfter: number;
  /** Work that a consumer has been owed so long is reported: no process seems to have its function. */
  readonly consumerMissingAfter: number;
  /** How often one that stays missing is reported again. */
  readonly consumerMissingEvery: number;
}

/** Every limit as it is unless a host says otherwise; durations are milliseconds (spec: the numbers; `docs/spec-notes.md`). */
export const DEFAULT_POLICY: Policy = {
  sessionLifetime: 24 * HOUR,
  embedTokenLifetime: HOUR,
  idempotencyRetention: DAY,
  expiry: 'hold_while_processing',
  holdAlarmAfter: DAY,
  attemptsPerSessionMax: 10,
  refundsPerTransactionMax: 50,
  refundCheckGapMin: SECOND,
  refundAlarmAfter: DAY,
  refusalsPerSessionMax: 20,
  intentActionLifetime: 30 * MINUTE,
  retryGaps: [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR],
  attemptTimeout: 10 * SECOND,
  deliveryLease: MINUTE,
  taskLease: 30 * SECOND,
  providerAnswerTimeout: 8 * SECOND,
  providerQuestionTimeout: 3 * SECOND,
  providerErrorsMax: 5,
  providerSkippedFor: 15 * SECOND,
  taskRetryGaps: [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE],
  stepLookupGapMax: 30 * SECOND,
  stepLookupsOftenFor: 10 * MINUTE,
  stepAlarmAfter: 5 * MINUTE,
  claimsMax: 20,
  claimBatch: 128,
  attemptsInFlightMax: 2_048,
  attemptsPerEndpointMax: 256,
  tasksInFlightMax: 32,
  kycRetention: 7 * DAY,
  endedRetention: 30 * DAY,
  reapEvery: MINUTE,
  reapBatch: 500,
  decisionsMax: 3,
  requestTimeout: 10 * SECOND,
  requestsInFlightMax: 64,
  requestsContendedMin: 4,
  requestsWaitingMax: 256,
  requestWaitMax: 500,
  requestsUnansweredMax: 2_048,
  testAdvanceTimeout: 8 * SECOND,
  testClockAheadMax: 7_300 * DAY,
  signatureToleranceSeconds: 300,
  clockSkewAlarm: 2 * SECOND,
  clockStepMax: DAY,
  bodyBytesMax: 64 * 1024,
  bodyDepthMax: 32,
  metadataBytesMax: 16 * 1024,
  fieldErrorsMax: 20,
  responseKeepBytes: 1024,
  responseReadBytesMax: 64 * 1024,
  lookupTimeout: 5 * SECOND,
  lookupsInFlightMax: 256,
  lookupsPerPartnerMax: 4,
  lookupKept: 3 * SECOND,
  failedLookupKept: 10 * SECOND,
  quotaWarningPercent: 80,
  standardRateLimitHeaders: false,
  rateLimitFactor: 1,
  poolQuoteLifetime: 30 * SECOND,
  poolCheckGapMin: SECOND,
  overdueLookEvery: 10 * SECOND,
  overdueAlarmAfter: 15 * SECOND,
  consumerMissingAfter: MINUTE,
  consumerMissingEvery: 10 * MINUTE,
};
