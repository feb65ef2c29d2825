import type { Instant } from '../domain/instant.js';
import type { Intent } from '../domain/intent/intent.js';
import type { JsonText } from '../domain/json.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Decimal } from '../domain/money.js';
import type { PageRequest } from '../domain/paging/page.js';
import type { Session, SessionStatus } from '../domain/session/session.js';
import type { Flow } from '../domain/session/terms.js';
import type { Task } from '../domain/task.js';
import type { Transaction, TransactionStatus } from '../domain/transaction/transaction.js';
import type { Delivery, DeliveryAttempt, DeliveryStatus } from '../domain/webhook/delivery.js';
import type { EndpointHealth } from '../domain/webhook/endpoint.js';
import type { GateEvent } from '../domain/webhook/event.js';

/** Rows found by their key: `store.find('session', scope, id)`. */
export interface RowsByKey {
  session: { key: [scope: Scope, id: string]; row: Session };
  intent: { key: [scope: Scope, id: string]; row: Intent };
  /** Without a partner, which providers do not know. */
  intent_by_operation: { key: [mode: Mode, provider: string, operationId: string]; row: Intent };
  transaction: { key: [scope: Scope, refid: string]; row: Transaction };
  document: { key: [scope: Scope, noun: string, id: string]; row: Document };
  event: { key: [scope: Scope, id: string]; row: GateEvent };
  delivery: { key: [scope: Scope, id: string]; row: DeliveryRecord };
  /** The health of the partner's endpoint, as computed by `noteResult`; null before its first attempt. */
  endpoint_health: { key: [scope: Scope]; row: EndpointHealth };
  /** The task, leased or not. */
  task: { key: [scope: Scope, id: string]; row: Task };
}

/**
 * Rows that can be listed: `store.list('event', scope, filter, page)`. Returns up to `limit + 1` rows in reading order: newest first, or
 * nearest first for a page before a cursor.
 */
export interface Listed {
  /** `status` is the effective one at `now`: an overdue session that is not held counts as expired. */
  session: { query: [scope: Scope, filter: SessionFilter, page: PageRequest, now: Instant]; row: Session };
  transaction: { query: [scope: Scope, filter: TransactionFilter, page: PageRequest]; row: Transaction };
  /** Documents of one noun. */
  document: { query: [scope: Scope, noun: string, filter: DocumentFilter, page: PageRequest]; row: Document };
  delivery: { query: [scope: Scope, filter: DeliveryFilter, page: PageRequest]; row: DeliveryRecord };
  /**
   * Ordered by creation, then sequence, then id, so the order is total although ids are random. A page after or before an unknown event is
   * empty.
   */
  event: { query: [scope: Scope, filter: EventFilter, page: PageRequest]; row: GateEvent };
  /** All events of one session, ordered by sequence. */
  session_event: { query: [scope: Scope, sessionId: string]; row: GateEvent };
  /** The newest `OF_HASH_MAX` transactions with this hash on chain, whose case is ignored. */
  transaction_of_hash: { query: [scope: Scope, txHash: string]; row: Transaction };
}

/** The maximum number of transactions that are listed for one hash. */
export const OF_HASH_MAX = 20;

/** The rows of which a page can be counted. */
export type Counted = 'session' | 'delivery';

/** A function per noun. `count: (noun, ...query) => counters[noun](...query)` implements the port. */
export type Counters = { readonly [Noun in Counted]: (...query: Listed[Noun]['query']) => Promise<number> };

/** A function per noun. `countEach: (noun, ...query) => counters[noun](...query)` implements the port. */
export type CountersOfEach = {
  readonly [Noun in Counted]: (
    times: readonly CreatedWithin[],
    ...query: Listed[Noun]['query']
  ) => Promise<readonly number[]>;
};

/** Bounds of the creation time: inclusive below, exclusive above. */
export interface CreatedWithin {
  readonly createdAfter: Instant;
  readonly createdBefore: Instant;
}

/** The transactions of one status and pair of currencies. An amount that is not known counts as 0. */
export interface TransactionTotal {
  readonly status: TransactionStatus;
  readonly sourceCurrency: string | null;
  readonly destinationCurrency: string | null;
  readonly count: number;
  readonly paid: Decimal;
  readonly delivered: Decimal;
}

/** A function per noun. `find: (noun, ...key) => finders[noun](...key)` implements the port. */
export type Finders = {
  readonly [Noun in keyof RowsByKey]: (...key: RowsByKey[Noun]['key']) => Promise<RowsByKey[Noun]['row'] | null>;
};

/** A function per noun. `list: (noun, ...query) => listers[noun](...query)` implements the port. */
export type Listers = {
  readonly [Noun in keyof Listed]: (...query: Listed[Noun]['query']) => Promise<readonly Listed[Noun]['row'][]>;
};

/** Lower bounds are inclusive, upper bounds exclusive. Null does not filter. */
export interface SessionFilter {
  readonly status: SessionStatus | null;
  readonly flow: Flow | null;
  readonly currency: string | null;
  readonly userReference: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** Filters a list of transactions; null does not filter. */
export interface TransactionFilter {
  readonly status: TransactionStatus | null;
  readonly flow: Flow | null;
  readonly sessionId: string | null;
  readonly userReference: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** Filters a list of deliveries; null does not filter. */
export interface DeliveryFilter {
  /** Null includes deliveries to consumers, which are never shown to partners. */
  readonly target: 'webhook' | null;
  readonly status: DeliveryStatus | null;
  readonly eventType: string | null;
  readonly eventId: string | null;
  readonly sessionId: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** Filters a list of events; null does not filter. */
export interface EventFilter {
  readonly type: string | null;
  readonly sessionId: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** A delivery with its attempts, oldest first. */
export interface DeliveryRecord {
  readonly delivery: Delivery;
  readonly attempts: readonly DeliveryAttempt[];
}

/**
 * A row whose content is opaque to stores, such as a quote, pay-in, pool trade or branding. It is found by id, listed by group and written
 * as a whole. A new noun of the contract needs a new `noun` and no change to any store.
 */
export interface Document extends Scope {
  /** The noun in the words of the contract: `quote`, `pay_in`, `pool_trade`. Ids are unique per noun, partner and mode. */
  readonly noun: string;
  readonly id: string;
  readonly version: number;
  /** The group it is listed under, such as a session or pool; null if only the whole noun is listed. Never changes. */
  readonly group: string | null;
  /** Lists are ordered by id, newest first, so ids of a listed noun must increase with this. */
  readonly createdAt: Instant;
  /** Kept up to and including this instant; it may be deleted afterwards. Null: kept permanently. */
  readonly keepUntil: Instant | null;
  /** Stored byte for byte. */
  readonly body: JsonText;
}

/** Null does not filter. Lower bounds are inclusive, upper bounds exclusive. */
export interface DocumentFilter {
  readonly group: string | null;
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}
