import type { Instant } from '../domain/instant.js';
import type { Intent } from '../domain/intent/intent.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { PageRequest } from '../domain/paging/page.js';
import type { Partner, WebhookEndpoint } from '../domain/partner/partner.js';
import type { Session, SessionStatus } from '../domain/session/session.js';
import type { Flow } from '../domain/session/terms.js';
import type { Task } from '../domain/task/task.js';
import type { Transaction, TransactionStatus } from '../domain/transaction/transaction.js';
import type { Delivery, DeliveryAttempt, DeliveryStatus, Lane } from '../domain/webhook/delivery.js';
import type { EndpointHealth } from '../domain/webhook/endpoint-health.js';
import type { GateEvent } from '../domain/webhook/event.js';
import type { Document, DocumentFilter } from './document.js';
import type { Change, CommitOutcome, IdempotencyOutcome, IdempotencyRef } from './change.js';

/**
 * Where everything lives. Laws, each tested by `@gateramp/conformance`:
 * a commit applies all of its change or nothing; a version or lease that has moved on refuses it;
 * a key is taken once per scope; nobody reads or changes another partner's or mode's rows; marks, counters and settings have one
 * name in the whole installation. What cannot be served now throws an `Outage`.
 * Checks in a commit run in this order: idempotency, once, versions and leases, counters.
 */
export interface Store extends StoreReads, WorkStore, PartnerStore, ConsumerStore, Settings {
  /** Whether what it holds outlives the process. What is sealed in it must then be opened by the next one: it needs a master key. */
  readonly isDurable: boolean;
  commit(change: Change): Promise<CommitOutcome>;
  /** What the key says at `now`; null when it is free. Changes nothing. */
  findReply(ref: IdempotencyRef, now: Instant): Promise<IdempotencyOutcome | null>;
  /** Deletes what nobody can ask for any more. Returns how many rows went. */
  reap(request: ReapRequest): Promise<number>;
}

/**
 * Keys that have expired at `now`, documents that were kept until before it, and deliveries and tasks that ended `keepEnded` milliseconds before it; at most `limit` rows. A delivery
 * has ended when it is delivered or dead (`deliveredAt`, `deadLetteredAt`), a task at the `now` of the change that finished it. What is parked
 * has not ended, and events, sessions, intents and transactions stay.
 */
export interface ReapRequest {
  readonly mode: Mode;
  readonly now: Instant;
  readonly keepEnded: number;
  readonly limit: number;
}

/** Reads of one partner and mode. A row of another scope is absent. */
export interface StoreReads {
  findSession(scope: Scope, id: string): Promise<Session | null>;
  /**
   * Up to `limit + 1` sessions, in the order the page is walked: newest first, or nearest first
   * for a page before a cursor. `status` means the effective one at `now`: an overdue session
   * that is not held counts as expired.
   */
  listSessions(scope: Scope, filter: SessionFilter, page: PageRequest, now: Instant): Promise<readonly Session[]>;
  findIntent(scope: Scope, id: string): Promise<Intent | null>;
  /** By the operation id alone: a provider knows no partner. */
  findIntentByOperation(mode: Mode, provider: string, operationId: string): Promise<Intent | null>;
  findTransaction(scope: Scope, refid: string): Promise<Transaction | null>;
  /** Up to `limit + 1`, ordered as sessions are. */
  listTransactions(scope: Scope, filter: TransactionFilter, page: PageRequest): Promise<readonly Transaction[]>;
  findDocument(scope: Scope, noun: string, id: string): Promise<Document | null>;
  /** Documents of one noun, up to `limit + 1`, ordered as sessions are. */
  listDocuments(scope: Scope, noun: string, filter: DocumentFilter, page: PageRequest): Promise<readonly Document[]>;
  findDelivery(scope: Scope, id: string): Promise<DeliveryRecord | null>;
  /** Of the partner's endpoint, noted as `noteResult` says; null before the first attempt at it. */
  findEndpointHealth(scope: Scope): Promise<EndpointHealth | null>;
  listDeliveries(scope: Scope, filter: DeliveryFilter, page: PageRequest): Promise<readonly DeliveryRecord[]>;
  findEvent(scope: Scope, id: string): Promise<GateEvent | null>;
  /**
   * Up to `limit + 1`, newest first or nearest first as sessions are. The order is that of creation, within an instant that of the sequence,
   * and then of the id, so it is total though ids are random. After or before an event that is not there comes nothing.
   */
  listEvents(scope: Scope, filter: EventFilter, page: PageRequest): Promise<readonly GateEvent[]>;
  /** Events of one session in the order of their sequence. */
  listSessionEvents(scope: Scope, sessionId: string): Promise<readonly GateEvent[]>;
  /** A counter's value as a decimal string; "0" when it was never moved. */
  readCounter(name: string): Promise<string>;
  /** Several counters as they stand together, in the order of the names: every commit is in all of them or in none. */
  readCounters(names: readonly string[]): Promise<readonly string[]>;
}

/** Bounds are inclusive below and exclusive above. Null filters nothing. */
export interface SessionFilter {
  readonly status: SessionStatus | null;
  readonly flow: Flow | null;
  readonly currency: string | null;
  readonly userReference: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** What a list of transactions is narrowed to; null narrows nothing. */
export interface TransactionFilter {
  readonly status: TransactionStatus | null;
  readonly flow: Flow | null;
  readonly sessionId: string | null;
  readonly userReference: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** What a list of deliveries is narrowed to; null narrows nothing. */
export interface DeliveryFilter {
  /** Null: those of consumers too, which partners are never shown. */
  readonly target: 'webhook' | null;
  readonly status: DeliveryStatus | null;
  readonly eventType: string | null;
  readonly eventId: string | null;
  readonly sessionId: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** What a list of events is narrowed to; null narrows nothing. */
export interface EventFilter {
  readonly type: string | null;
  readonly sessionId: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** A delivery with every attempt at it, oldest first. */
export interface DeliveryRecord {
  readonly delivery: Delivery;
  readonly attempts: readonly DeliveryAttempt[];
}

/**
 * Due work. Claiming leases it: until `leaseUntil` nobody else gets it, afterwards anybody may, and
 * only the present lease's token can record what became of it. A claim counts in `claims` and in nothing else.
 */
export interface WorkStore {
  /**
   * Due deliveries and those whose lease has lapsed, which count as due since its end or since they were due before. In turns: one of each endpoint, the one that has
   * waited longest first, before a second of any, however large `limit` and `perEndpoint` are. They come back in the order they were due.
   */
  claimDeliveries(request: DeliveryClaim): Promise<readonly ClaimedDelivery[]>;
  /** Oldest due first. */
  claimTasks(request: TaskClaim): Promise<readonly Task[]>;
  /** Claims this very item if it is due at `now` and free; null otherwise. */
  claimDelivery(mode: Mode, id: string, lease: Lease): Promise<ClaimedDelivery | null>;
  /** As above; `early` also takes a task that is not due yet. When that lease lapses the task is free, due or not. */
  claimTask(mode: Mode, id: string, lease: Lease & { readonly early: boolean }): Promise<Task | null>;
  /** Compare-and-set on the lease token, the attempt row with it, and what it says of its endpoint (`endpointResult`); `lost` changes nothing. */
  recordDelivery(outcome: DeliveryOutcome): Promise<'recorded' | 'lost'>;
  /** The task as it is, leased or not; null when there is none. */
  findTask(mode: Mode, id: string): Promise<Task | null>;
  /** What of a mode is due next: an unleased item's due time, or a leased one's end of lease. `kinds` looks at these only. */
  nextDue(mode: Mode, kinds?: readonly WorkKind[]): Promise<DueItem | null>;
}

/** A lane of deliveries, or the tasks. */
export type WorkKind = Lane | 'tasks';

/** For how long work is taken, and by whom: only the holder of `token` may record it. */
export interface Lease {
  readonly now: Instant;
  readonly leaseMs: number;
  /** Unique per claim call. */
  readonly token: string;
}

/** Which deliveries to take, and for how long. `now` is the clock of each mode. */
export interface DeliveryClaim {
  readonly now: Readonly<Record<Mode, Instant>>;
  readonly lane: Lane;
  readonly limit: number;
  /** Live leases one endpoint may have in this lane, these included. */
  readonly perEndpoint: number;
  readonly leaseMs: number;
  readonly token: string;
}

/** Which tasks to take, and for how long. `now` is the clock of each mode. */
export interface TaskClaim {
  readonly now: Readonly<Record<Mode, Instant>>;
  readonly limit: number;
  readonly leaseMs: number;
  readonly token: string;
}

/** A leased delivery with the event it carries. */
export interface ClaimedDelivery {
  readonly delivery: Delivery;
  readonly event: GateEvent;
}

/** What a delivery has come to, by the holder of its lease. */
export interface DeliveryOutcome {
  readonly leaseToken: string;
  /** The state the domain decided, lease already cleared. */
  readonly next: Delivery;
  /** Null when the item is parked without an attempt. */
  readonly attempt: DeliveryAttempt | null;
}

/** What is due next, and when. */
export interface DueItem {
  readonly kind: 'delivery' | 'task';
  readonly id: string;
  readonly mode: Mode;
  readonly dueAt: Instant;
}

/** Who may call, and where their webhooks go. A host with its own tenants implements this side. */
export interface Partners {
  /** By the SHA-256 of the key's text. Revocations may lag by 5 s at most. */
  findKey(hash: string): Promise<KeyHolder | null>;
  findPartner(id: string): Promise<Partner | null>;
  findEndpoint(scope: Scope): Promise<WebhookEndpoint | null>;
}

/** A key, and whose it is. */
export interface KeyHolder {
  readonly key: ApiKey;
  readonly partner: Partner;
}

/** Administration of what `Partners` reads. Saving replaces by id, hash, or partner and mode. */
export interface PartnerStore extends Partners {
  savePartner(partner: Partner): Promise<void>;
  /**
   * Its last use stays as it was noted: a key that is revoked still tells when it was used. A revocation stays as well, at its first
   * instant: who saves a key as it was read before does not undo it.
   */
  saveKey(key: ApiKey): Promise<void>;
  saveEndpoint(endpoint: WebhookEndpoint): Promise<void>;
  /** The key was used at `at`. Only the latest use is kept, in whatever order they are noted; an unknown hash changes nothing. */
  noteKeyUse(hash: string, at: Instant): Promise<void>;
  /** What time it is at the store, for stores that have a clock: when operators made and revoked keys is told by it, not by their machines. */
  readTime?(): Promise<Instant>;
  /** All keys of one partner, of both modes, the oldest first; for operators, no request asks for it. */
  listKeys(partnerId: string): Promise<readonly KeyRecord[]>;
}

/** A key, and when it was last used: to the minute, by the clock of its mode; null for never. */
export interface KeyRecord {
  readonly key: ApiKey;
  readonly lastUsedAt: Instant | null;
}

/**
 * The in-process consumers that the processes of an installation have, by name: whoever commits an event owes it to all of them. Entries are
 * never deleted, so the version tells whether anything has changed.
 */
export interface ConsumerStore {
  readConsumers(): Promise<ConsumerRegistry>;
  /** Adds those that are new and brings back those that were removed. Where all are there nothing changes, the version included. */
  registerConsumers(consumers: readonly ConsumerName[]): Promise<void>;
  /** Removes a name with all its types. What was committed for it stays, to be ended by a worker. */
  removeConsumer(name: string): Promise<void>;
}

/** One entry of the consumers' registry. */
export interface ConsumerName {
  readonly name: string;
  /** The type of event it is for; a name may have several. */
  readonly type: string;
}

/** The consumers of all processes, as of `version`. */
export interface ConsumerRegistry {
  /** 0 as long as there was none; every change makes it greater. */
  readonly version: number;
  readonly consumers: readonly (ConsumerName & { readonly isRemoved: boolean })[];
}

/** Small values of the installation itself: the sealed pepper, the test clock's offset. */
export interface Settings {
  readSetting(name: string): Promise<string | null>;
  /** Sets it if `expected` is still its value (null: absent) and returns the value in force. Throws where a value was expected and there is none. */
  swapSetting(name: string, expected: string | null, value: string): Promise<string>;
}
