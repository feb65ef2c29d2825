import { DAY, HOUR, MINUTE, SECOND } from './instant.js';

/** Every limit has a name and lives here. Durations are milliseconds unless the name says otherwise. */
export interface Policy {
  readonly sessionLifetime: number;
  readonly embedTokenLifetime: number;
  readonly idempotencyRetention: number;
  /** `hold_while_processing`: a session whose money may be moving, or with a provider step under way, neither expires nor cancels. */
  readonly expiry: 'hold_while_processing' | 'strict';
  readonly holdAlarmAfter: number;
  /** Attempts one session may have: more is trying out cards. */
  readonly attemptsPerSessionMax: number;
  /** Refused attempts of a session that are kept for its timeline; what comes after is refused all the same. */
  readonly refusalsPerSessionMax: number;
  readonly intentActionLifetime: number;
  /** Gaps after the previous failure; the failure after the last gap dead-letters (spec: Delivery rules 2). */
  readonly retryGaps: readonly number[];
  /** An attempt ends within this, all told. */
  readonly attemptTimeout: number;
  /** Several times the attempt's limit, so no heartbeat is needed. */
  readonly deliveryLease: number;
  readonly taskLease: number;
  /** How long a request waits for the provider before it answers with the intent as it stands. */
  readonly providerAnswerTimeout: number;
  readonly taskRetryGaps: readonly number[];
  /** Claims without a recorded result after which work is parked and reported. */
  readonly claimsMax: number;
  readonly claimBatch: number;
  readonly attemptsInFlightMax: number;
  /** Concurrent attempts at one endpoint and lane while places are free; fewer when they run short. */
  readonly attemptsPerEndpointMax: number;
  readonly tasksInFlightMax: number;
  /** How long a kyc_package may be kept if nobody says that its session has ended; longer than sessions last, held ones included. */
  readonly kycRetention: number;
  /** How long a delivery that was delivered or given up stays to be asked for, and a task that is done. */
  readonly endedRetention: number;
  /** How often rows past their retention are deleted, and how many at a time. */
  readonly reapEvery: number;
  readonly reapBatch: number;
  /** Decisions taken again on fresh state before 503 `try_again`. */
  readonly decisionsMax: number;
  /** One advance of the test clock begins nothing more after so long, and answers how far it came. */
  readonly testAdvanceTimeout: number;
  readonly signatureToleranceSeconds: number;
  /** How far the machine's clock may be from the store's before somebody is told. */
  readonly clockSkewAlarm: number;
  /** The store's clock may be set by so much while a process runs, or by as much as the machine's moved with it; beyond that nothing is decided. */
  readonly clockStepMax: number;
  readonly bodyBytesMax: number;
  readonly bodyDepthMax: number;
  readonly metadataBytesMax: number;
  /** Failed fields that one answer tells of. */
  readonly fieldErrorsMax: number;
  readonly responseKeepBytes: number;
  readonly responseReadBytesMax: number;
  /** A look-up of a receiver's name ends within this; the rest of the attempt's time is for the receiver. */
  readonly lookupTimeout: number;
  /** Names looked up at once, all told. From half of them on a partner may have one. */
  readonly lookupsInFlightMax: number;
  readonly lookupsPerPartnerMax: number;
  /** How long the addresses of a name are used again, and how long a name without any is not asked for. */
  readonly lookupKept: number;
  readonly failedLookupKept: number;
  readonly quotaWarningPercent: number;
  /** `RateLimit`, `RateLimit-Policy` and, on a 429, `Retry-After` beside the contract's own headers, for clients that know only those. */
  readonly standardRateLimitHeaders: boolean;
  /** How long the price of a pool quote holds; it is good at that very instant. */
  readonly poolQuoteLifetime: number;
  /** The provider of pools is not asked about one trade more often. */
  readonly poolCheckGapMin: number;
  /** A process that never worked looks so often whether anybody else does. */
  readonly overdueLookEvery: number;
  /** Work that is due so long without anybody taking it is told by such a process, once. */
  readonly overdueAlarmAfter: number;
  /** Work that a consumer has been owed so long is told: no process seems to have its function. */
  readonly consumerMissingAfter: number;
  /** How often one that stays missing is told again. */
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
  refusalsPerSessionMax: 20,
  intentActionLifetime: 30 * MINUTE,
  retryGaps: [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR],
  attemptTimeout: 10 * SECOND,
  deliveryLease: MINUTE,
  taskLease: 30 * SECOND,
  providerAnswerTimeout: 8 * SECOND,
  taskRetryGaps: [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE],
  claimsMax: 20,
  claimBatch: 128,
  attemptsInFlightMax: 1_024,
  attemptsPerEndpointMax: 128,
  tasksInFlightMax: 32,
  kycRetention: 7 * DAY,
  endedRetention: 30 * DAY,
  reapEvery: MINUTE,
  reapBatch: 500,
  decisionsMax: 3,
  testAdvanceTimeout: 15 * SECOND,
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
  poolQuoteLifetime: 30 * SECOND,
  poolCheckGapMin: SECOND,
  overdueLookEvery: 10 * SECOND,
  overdueAlarmAfter: 15 * SECOND,
  consumerMissingAfter: MINUTE,
  consumerMissingEvery: 10 * MINUTE,
};
