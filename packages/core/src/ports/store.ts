import type { Instant } from '../domain/instant.js';
import type { Mode } from '../domain/mode.js';
import type { Task } from '../domain/task.js';
import type { Delivery, DeliveryAttempt, Lane } from '../domain/webhook/delivery.js';
import type { GateEvent } from '../domain/webhook/event.js';
import type { Change, CommitOutcome, IdempotencyOutcome, IdempotencyRef } from './change.js';
import type { PartnerStore } from './partners.js';
import type { RowsByKey, Listed } from './rows.js';

/**
 * Where everything lives. Laws, each tested by `@gateramp/conformance`:
 * a commit applies all of its change or nothing; a version or lease that has moved on refuses it;
 * a key is taken once per scope; no caller reads or changes another partner's or mode's rows; marks, counters and settings have one
 * name in the whole installation. What cannot be served now throws an `Outage`.
 * Checks in a commit run in this order: idempotency, once, versions and leases, counters.
 */
export interface Store extends EngineStore, PartnerStore {}

/**
 * A store without partners, for a host that has its own (`createGate({ partners })`). Then no change has `endpoints`,
 * and no delivery waits for an `endpoint_set`.
 */
export interface EngineStore extends StoreReads, WorkStore, ConsumerStore, Settings {
  /** Whether what it holds outlives the process. What is sealed in it must then be opened by the next one: it needs a master key. */
  readonly isDurable: boolean;
  commit(change: Change): Promise<CommitOutcome>;
  /** What the key says at `now`; null when it is free. Changes nothing. */
  findReply(ref: IdempotencyRef, now: Instant): Promise<IdempotencyOutcome | null>;
  /** Deletes what can no longer be read. Returns how many rows went. */
  reap(request: ReapRequest): Promise<number>;
}

/**
 * Keys that have expired at `now`, documents that were kept until before it, and deliveries and tasks that ended
 * `keepEnded` milliseconds before it; at most `limit` rows. A delivery has ended when it is delivered or dead
 * (`deliveredAt`, `deadLetteredAt`), a task at the `now` of the change that finished it. What is parked has not ended,
 * and events, sessions, intents and transactions stay.
 */
export interface ReapRequest {
  readonly mode: Mode;
  readonly now: Instant;
  readonly keepEnded: number;
  readonly limit: number;
}

/** Reads of one partner and mode. A row of another scope is absent. */
export interface StoreReads {
  find<Noun extends keyof RowsByKey>(
    noun: Noun,
    ...key: RowsByKey[Noun]['key']
  ): Promise<RowsByKey[Noun]['row'] | null>;
  list<Noun extends keyof Listed>(noun: Noun, ...asked: Listed[Noun]['asked']): Promise<readonly Listed[Noun]['row'][]>;
  /**
   * Counters of one moment, as decimal strings in the order of the names: every commit is in all of them or in
   * none. "0" is one that was never moved.
   */
  readCounters(names: readonly string[]): Promise<readonly string[]>;
}

/**
 * Due work. Claiming leases it: until `leaseUntil` no other worker gets it, afterwards any may, and
 * only the present lease's token can record its outcome. A claim counts in `claims` and in nothing else.
 */
export interface WorkStore {
  /** Takes due work, as `Work` says in what order. */
  claim<Kind extends keyof Work>(kind: Kind, request: Work[Kind]['request']): Promise<readonly Work[Kind]['claimed'][]>;
  /** Claims this very item if it is due at `now` and free; null otherwise. */
  claimOne<Kind extends keyof Work>(
    kind: Kind,
    mode: Mode,
    id: string,
    lease: Work[Kind]['lease'],
  ): Promise<Work[Kind]['claimed'] | null>;
  /**
   * Compare-and-set on the lease token, the attempt row with it, and what it says of its endpoint (`endpointResult`);
   * `lost` changes nothing.
   */
  recordDelivery(outcome: DeliveryOutcome): Promise<'recorded' | 'lost'>;
  /**
   * What of a mode is due next: an unleased item's due time, or a leased one's end of lease. `kinds` looks at these only; without it, at
   * all but `PAUSED_LANE`, whose deliveries are not due while their endpoint is paused.
   */
  nextDue(mode: Mode, kinds?: readonly WorkKind[]): Promise<DueItem | null>;
}

/** What is claimed. */
export interface Work {
  /**
   * Due deliveries and those whose lease has lapsed, which count as due since its end or since they were due before. In
   * turns: one of each endpoint, the one that has waited longest first, before a second of any, however large `limit`
   * and `perEndpoint` are. They come back in the order they were due.
   */
  delivery: { request: DeliveryClaim; lease: Lease; claimed: ClaimedDelivery };
  /** Oldest due first. `early` also takes one task that is not due yet; when that lease lapses the task is free, due or not. */
  task: { request: TaskClaim; lease: Lease & { readonly early: boolean }; claimed: Task };
}

/** A way to claim each kind of work. `claim: (kind, request) => claims[kind](request)` then is the port's. */
export type Claims = {
  readonly [Kind in keyof Work]: (request: Work[Kind]['request']) => Promise<readonly Work[Kind]['claimed'][]>;
};

/** A way to claim one item of each kind. */
export type ClaimsOfOne = {
  readonly [Kind in keyof Work]: (
    mode: Mode,
    id: string,
    lease: Work[Kind]['lease'],
  ) => Promise<Work[Kind]['claimed'] | null>;
};

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

/**
 * The in-process consumers that the processes of an installation have, by name: every committed event is owed to all
 * of them. Entries are never deleted, so the version shows whether anything has changed.
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
  /**
   * Sets it if `expected` is still its value (null: absent) and returns the value in force. Throws where a value was
   * expected and there is none.
   */
  swapSetting(name: string, expected: string | null, value: string): Promise<string>;
}
