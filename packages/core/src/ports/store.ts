import type { AuditEntry } from '../domain/audit.js';
import type { Instant } from '../domain/instant.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';
import type { Session } from '../domain/session/session.js';
import type { Task } from '../domain/task.js';
import type { Delivery, DeliveryAttempt, Lane } from '../domain/webhook/delivery.js';
import type { GateEvent } from '../domain/webhook/event.js';
import type { AuditWrite, Change, CommitOutcome, IdempotencyOutcome, IdempotencyRef } from './change.js';
import type { Contracted } from './contract.js';
import type { PartnerStore } from './partners.js';
import type { Counted, CreatedWithin, RowsByKey, Listed, TransactionTotal } from './rows.js';

/**
 * The store of all engine data. Laws, each tested by `@gateramp/conformance`: a commit applies its complete change or nothing; an outdated
 * version or lease refuses it; a key is taken once per scope; no caller reads or changes rows of another partner or mode; names of marks
 * and counters are unique within a partner, and callers share none between partners; names of settings are unique in the installation. An
 * operation that cannot be served at the moment throws an `Outage`.
 * The checks of a commit run in this order: idempotency, once, versions and leases, counters.
 */
export interface Store extends EngineStore, PartnerStore {}

/**
 * A store without partners, for a host that has its own (`createGate({ partners })`). Its changes never contain `endpoints`, nor deliveries
 * with `endpoint_set`.
 */
export interface EngineStore extends StoreReads, WorkStore, ConsumerStore, AuditStore, Settings, Contracted {
  /** Whether its data outlives the process. Encrypted data must then be readable by the next process, which requires a master key. */
  readonly isDurable: boolean;
  commit(change: Change): Promise<CommitOutcome>;
  /** The outcome of the key at `now`; null if it is free. Changes nothing. */
  findReply(ref: IdempotencyRef, now: Instant): Promise<IdempotencyOutcome | null>;
  /** Deletes rows past their retention. Returns the number of deleted rows. */
  reap(request: ReapRequest): Promise<number>;
  /** Lets one of several processes step the clock of a sandbox. Absent: only one process may work while clocks are stepped. */
  readonly sandboxHolds?: SandboxHolds;
}

/** Holds on sandboxes whose clock is being stepped. Claims with `skipsStepped` leave out the work of sandboxes that are held. */
export interface SandboxHolds {
  /**
   * Takes the hold, or extends it, until `holdMs` from now by the store's own time. `taken`: another token has it. `new`: it was free or
   * had ended; claims that did not see it have been committed. `kept`: it was held without a gap.
   */
  hold(partnerId: string, token: string, holdMs: number): Promise<'new' | 'kept' | 'taken'>;
  /** Ends the hold, if the token still has it. */
  release(partnerId: string, token: string): Promise<void>;
  /**
   * Whether a delivery or task of the sandbox is leased at `now`. Leases whose token begins with `STEPPED_LEASE` do not count: only the
   * holder of the sandbox takes them, so theirs has ended.
   */
  isWorkedOn(partnerId: string, now: Instant): Promise<boolean>;
}

/** The beginning of the tokens of leases that are taken while a clock is stepped. */
export const STEPPED_LEASE = 'stepped/';

/**
 * Selects keys expired at `now`, documents whose `keepUntil` is before it, and deliveries and tasks that ended `keepEnded` milliseconds
 * before it; at most `limit` rows. A delivery ends when it is delivered or dead-lettered (`deliveredAt`, `deadLetteredAt`), a task at the
 * `now` of the change that finished it. Parked rows have not ended. Events, sessions, intents and transactions are never deleted.
 */
export interface ReapRequest {
  readonly mode: Mode;
  readonly now: Instant;
  readonly keepEnded: number;
  readonly limit: number;
}

/** Reads for one partner and mode. Rows of other scopes are treated as absent. */
export interface StoreReads {
  find<Noun extends keyof RowsByKey>(
    noun: Noun,
    ...key: RowsByKey[Noun]['key']
  ): Promise<RowsByKey[Noun]['row'] | null>;
  list<Noun extends keyof Listed>(noun: Noun, ...query: Listed[Noun]['query']): Promise<readonly Listed[Noun]['row'][]>;
  /**
   * Values of counters that changes of this partner move, of a single moment, as decimal strings in the order of the names: each commit is
   * reflected in all of them or in none. "0" for a counter that was never changed.
   */
  readCounters(scope: Scope, names: readonly string[]): Promise<readonly string[]>;
  /** Counts rows for overviews, faster than by listing them. Absent: they are listed. */
  readonly counts?: StoreCounts;
}

/** Counts for overviews. */
export interface StoreCounts {
  /** The number of rows of a page: what `list` would return, at most `limit + 1`, without reading rows in full. */
  count<Noun extends Counted>(noun: Noun, ...query: Listed[Noun]['query']): Promise<number>;
  /** Returns `count` for each of `times`, in order, with its bounds in place of those of the filter. */
  countEach<Noun extends Counted>(
    noun: Noun,
    times: readonly CreatedWithin[],
    ...query: Listed[Noun]['query']
  ): Promise<readonly number[]>;
  /** Sums of the newest `limit` transactions created within the bounds, in no order. Absent: they are listed and added. */
  readonly totals?: (scope: Scope, within: CreatedWithin, limit: number) => Promise<readonly TransactionTotal[]>;
}

/**
 * Due work. A claim leases it: no other worker gets it until `leaseUntil`, any worker may afterwards, and only the token of the current
 * lease can record its outcome. A claim changes `claims` and the lease, nothing else.
 */
export interface WorkStore {
  /** Claims due work, in the order that `Work` specifies. */
  claim<Kind extends keyof Work>(kind: Kind, request: Work[Kind]['request']): Promise<readonly Work[Kind]['claimed'][]>;
  /** Claims one item if it is due at `now` and not leased; null otherwise. */
  claimOne<Kind extends keyof Work>(
    kind: Kind,
    owner: WorkOwner,
    id: string,
    lease: Work[Kind]['lease'],
  ): Promise<Work[Kind]['claimed'] | null>;
  /** Compares the lease token, then writes delivery, attempt and endpoint health (`endpointResult`) together; `lost` changes nothing. */
  recordDelivery(outcome: DeliveryOutcome): Promise<'recorded' | 'lost'>;
  /**
   * The next due item of a mode, by the due time or, if leased, the end of the lease. `kinds` limits the search. By default all kinds
   * except `PAUSED_LANE` are included, because its deliveries are not due while their endpoint is paused.
   */
  nextDue(mode: Mode, kinds?: readonly WorkKind[]): Promise<DueItem | null>;
  /**
   * The next due items of these sandboxes, by due time or end of lease minus what the sandbox is ahead; at most `limit`. Test mode only.
   * Absent: sandboxes have no clocks of their own, and no claim has `sandboxes` or `skipsStepped`.
   */
  readonly sandboxesDue?: (request: SandboxesDue) => Promise<readonly SandboxDue[]>;
}

/** Selects work of some sandboxes; `ahead` is how far each is ahead of test mode, in milliseconds, by partner id. */
export interface SandboxesDue {
  readonly ahead: ReadonlyMap<string, number>;
  /** By default all kinds except `PAUSED_LANE`. */
  readonly kinds?: readonly WorkKind[] | undefined;
  readonly limit: number;
}

/** A due item with the partner whose sandbox it belongs to. `dueAt` is in the time of that sandbox. */
export interface SandboxDue extends DueItem {
  readonly partnerId: string;
}

/** The kinds of work. */
export interface Work {
  /**
   * Due deliveries and those with an expired lease, which count as due since the lease ended or since their earlier due time. Claimed in
   * rounds: one per endpoint, longest waiting first, before a second one of any endpoint, whatever `limit` and `perEndpoint` are. Returned
   * in the order they became due.
   */
  delivery: { request: DeliveryClaim; lease: Lease; claimed: ClaimedDelivery };
  /** Oldest due first. `early` also claims one task before it is due; when that lease expires the task is free, due or not. */
  task: { request: TaskClaim; lease: Lease & { readonly early: boolean }; claimed: Task };
}

/** A function per kind. `claim: (kind, request) => claims[kind](request)` implements the port. */
export type Claims = {
  readonly [Kind in keyof Work]: (request: Work[Kind]['request']) => Promise<readonly Work[Kind]['claimed'][]>;
};

/** A function per kind that claims one item. */
export type ClaimsOfOne = {
  readonly [Kind in keyof Work]: (
    owner: WorkOwner,
    id: string,
    lease: Work[Kind]['lease'],
  ) => Promise<Work[Kind]['claimed'] | null>;
};

/** The mode of an item of work, and its partner if the caller knows it: some stores find the item by it. */
export type WorkOwner = Pick<Scope, 'mode'> & Partial<Pick<Scope, 'partnerId'>>;

/** A lane of deliveries, or all tasks. */
export type WorkKind = Lane | 'tasks';

/** The duration and holder of a claim: only the holder of `token` may record its result. */
export interface Lease {
  readonly now: Instant;
  readonly leaseMs: number;
  /** Unique per claim call. */
  readonly token: string;
}

/** The deliveries to claim, and the lease. */
export interface DeliveryClaim extends WorkTime {
  readonly lane: Lane;
  readonly limit: number;
  /** Maximum number of active leases per endpoint in this lane, including these. */
  readonly perEndpoint: number;
  readonly leaseMs: number;
  readonly token: string;
}

/** The times at which work is due. */
export interface WorkTime {
  /** The time of each mode. */
  readonly now: Readonly<Record<Mode, Instant>>;
  /**
   * The time of the sandboxes that have their own, by partner id: their work is due, and leased, by this time instead of `now.test`.
   * Absent: none has.
   */
  readonly sandboxes?: ReadonlyMap<string, Instant> | undefined;
  /** Leaves out the sandboxes that are held (`SandboxHolds`). Stores without holds ignore it. */
  readonly skipsStepped?: boolean | undefined;
}

/** The tasks to claim, and the lease. */
export interface TaskClaim extends WorkTime {
  readonly limit: number;
  readonly leaseMs: number;
  readonly token: string;
}

/** A leased delivery with its event. */
export interface ClaimedDelivery {
  readonly delivery: Delivery;
  readonly event: GateEvent;
}

/** The result of a delivery, recorded by the lease holder. */
export interface DeliveryOutcome {
  readonly leaseToken: string;
  /** The state after the attempt, with the lease cleared. */
  readonly next: Delivery;
  /** Null if the delivery changes without an attempt. */
  readonly attempt: DeliveryAttempt | null;
}

/** The next due item. */
export interface DueItem {
  readonly kind: 'delivery' | 'task';
  readonly id: string;
  readonly mode: Mode;
  readonly dueAt: Instant;
}

/** Work that is not done yet, of all partners, for operators. No request calls these. */
export interface UnfinishedWork {
  /** Deliveries that have not ended and are not parked, in the order they are due: up to `perLane` of each lane, of one partner or all. */
  queuedDeliveries(mode: Mode, perLane: number, partnerId?: string | null): Promise<readonly Delivery[]>;
  /**
   * Of each kind of task, the one that has been due the longest at `now`, unless it is leased. Oldest first. Looks at the `DUE_TASKS_MAX`
   * that have been due the longest.
   */
  oldestTasks(mode: Mode, now: Instant): Promise<OldestTasks>;
  /**
   * Tasks that were parked, have failed since they last succeeded, or have been due since before `dueBefore`. Oldest creation first. With
   * more than `limit`, taken from the parked and the failed ones that were created first and those that have been due the longest.
   */
  stuckTasks(mode: Mode, dueBefore: Instant, limit: number): Promise<readonly Task[]>;
  /** Parked tasks, oldest creation first; at most `limit`. Of these partners, or of all. */
  parkedTasks(mode: Mode, limit: number, partnerIds?: readonly string[] | null): Promise<readonly Task[]>;
  /** The number of dead-lettered webhook deliveries of each scope, in the order of the scopes and at most `limit` each. */
  countDeadLetters(scopes: readonly Scope[], limit: number): Promise<readonly number[]>;
  /**
   * Sessions that can neither expire nor be cancelled because money may be moving; the longest hold first. With more than `limit`, those
   * that were created first.
   */
  heldSessions(mode: Mode, limit: number): Promise<readonly Session[]>;
}

/** The number of due tasks that `oldestTasks` considers; it reads one more to know whether there are more. */
export const DUE_TASKS_MAX = 1000;

/** Work that is due for this long without being claimed indicates missing, stuck or too few workers. */
export const OVERDUE_MS = 30_000;

/** Counts of a backlog stop here: larger numbers would not change an operator's decision. */
export const BACKLOG_COUNT_MAX = 10_000;

/** The work that waits for a worker in one mode: counts up to `BACKLOG_COUNT_MAX`. */
export interface Backlog {
  readonly dueDeliveries: number;
  /** Due for longer than `OVERDUE_MS`. */
  readonly overdueDeliveries: number;
  readonly dueTasks: number;
  readonly overdueTasks: number;
  /** Sessions that can neither expire nor be cancelled because money may be moving. */
  readonly heldSessions: number;
}

/** `hasMore`: more than `DUE_TASKS_MAX` tasks are due, so that a kind may be missing. */
export interface OldestTasks {
  readonly tasks: readonly Task[];
  readonly hasMore: boolean;
}

/** What operators read of all partners. The stores of `@gateramp` each have one, on a connection of its own. */
export interface OperatorReads extends UnfinishedWork, Contracted {
  /** All partners, ordered by id. */
  partners(): Promise<readonly Partner[]>;
  /** What differs once something has changed, by one statement that reads only the heads of indexes. Called for all followers together. */
  marks(request: MarksRequest): Promise<Marks>;
}

/** Selects what to compare; `work` also that of all partners. */
export interface MarksRequest {
  readonly scopes: readonly Scope[];
  readonly work: boolean;
}

/** Marks compare held sessions and parked tasks of a mode up to this number. */
export const MARKED_WORK_MAX = 100;

/** The state of some scopes at one moment, to be compared with a later one. */
export interface Marks {
  /** In the order of the request. */
  readonly scopes: readonly ScopeMarks[];
  /** The sequence of the newest audit entry; 0 before the first one. */
  readonly audit: number;
  /** Differs once sessions were held or released, or tasks parked, among `MARKED_WORK_MAX` of each mode. Null if not requested. */
  readonly work: string | null;
}

/** The state of one scope. */
export interface ScopeMarks {
  /** The id of the newest event; null before the first one. */
  readonly events: string | null;
  /** Differs once a delivery was attempted or replayed. With many queued deliveries, only those due first count. */
  readonly deliveries: string;
  /** The newest audit entry of the partner in this mode or both, among its newest 50; 0 if there is none. */
  readonly settings: number;
}

/**
 * The registry of in-process consumers in an installation, by name. Every committed event is delivered to all of them. Entries are never
 * deleted, so the version reflects every change.
 */
export interface ConsumerStore {
  readConsumers(): Promise<ConsumerRegistry>;
  /** Adds new consumers and restores removed ones. If all are registered nothing changes, including the version. */
  registerConsumers(consumers: readonly ConsumerName[]): Promise<void>;
  /**
   * Removes a name with all its types, together with its audit entries. Existing deliveries remain, to be ended by a worker. `stale`: the
   * end of the audit trail is no longer the expected one; nothing was removed.
   */
  removeConsumer(name: string, audit?: AuditWrite | null): Promise<'removed' | 'stale'>;
}

/** One entry of the registry. */
export interface ConsumerName {
  readonly name: string;
  /** Its event type; a name may have several. */
  readonly type: string;
}

/** The consumers of all processes at `version`. */
export interface ConsumerRegistry {
  /** 0 before the first registration; every change increases it. */
  readonly version: number;
  readonly consumers: readonly (ConsumerName & { readonly isRemoved: boolean })[];
}

/** The audit trail of the installation. Entries are written by commits and `save`, and never changed or deleted. */
export interface AuditStore {
  listAudit(request: AuditRequest): Promise<readonly AuditEntry[]>;
}

/** What entries to select; null does not filter. */
export interface AuditFilter {
  readonly partnerId: string | null;
  /** This mode, or both: what concerns both modes is in each. */
  readonly mode: Mode | null;
  readonly requestId: string | null;
  /** An action such as `key.issue`, or all of a noun: `key`. */
  readonly action: string | null;
  /** The id of the actor, or of the access through which they acted. */
  readonly actor: string | null;
  /** Recorded at this instant or later, and before the other. */
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** Selects every entry. */
export const EVERY_ENTRY: AuditFilter = {
  partnerId: null,
  mode: null,
  requestId: null,
  action: null,
  actor: null,
  from: null,
  to: null,
};

/** Selects at most `limit` entries after (in this order) the sequence `beyond`. */
export interface AuditRequest extends AuditFilter {
  readonly order: 'oldest_first' | 'newest_first';
  /** Null: from the first entry in this order. */
  readonly beyond: number | null;
  readonly limit: number;
}

/** Small installation-wide values, such as the encrypted pepper and the test clock's offset. */
export interface Settings {
  readSetting(name: string): Promise<string | null>;
  /**
   * Sets the value if the current one is `expected` (null: absent), and returns the resulting value. Throws if a value was expected and
   * there is none.
   */
  swapSetting(name: string, expected: string | null, value: string): Promise<string>;
  /** The settings whose names begin with `prefix`, by name. */
  listSettings(prefix: string): Promise<ReadonlyMap<string, string>>;
}
