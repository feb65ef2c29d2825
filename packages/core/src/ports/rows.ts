import type { Instant } from '../domain/instant.js';
import type { Intent } from '../domain/intent/intent.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { PageRequest } from '../domain/paging/page.js';
import type { Session, SessionStatus } from '../domain/session/session.js';
import type { Flow } from '../domain/session/terms.js';
import type { Task } from '../domain/task.js';
import type { Transaction, TransactionStatus } from '../domain/transaction/transaction.js';
import type { Delivery, DeliveryAttempt, DeliveryStatus } from '../domain/webhook/delivery.js';
import type { EndpointHealth } from '../domain/webhook/endpoint.js';
import type { GateEvent } from '../domain/webhook/event.js';
import type { Document, DocumentFilter } from './document.js';

/** What is found by its key alone: `store.find('session', scope, id)`. */
export interface RowsByKey {
  session: { key: [scope: Scope, id: string]; row: Session };
  intent: { key: [scope: Scope, id: string]; row: Intent };
  /** By the operation id alone: a provider knows no partner. */
  intent_by_operation: { key: [mode: Mode, provider: string, operationId: string]; row: Intent };
  transaction: { key: [scope: Scope, refid: string]; row: Transaction };
  document: { key: [scope: Scope, noun: string, id: string]; row: Document };
  event: { key: [scope: Scope, id: string]; row: GateEvent };
  delivery: { key: [scope: Scope, id: string]; row: DeliveryRecord };
  /** Of the partner's endpoint, noted as `noteResult` says; null before the first attempt at it. */
  endpoint_health: { key: [scope: Scope]; row: EndpointHealth };
  /** The task as it is, leased or not. */
  task: { key: [mode: Mode, id: string]; row: Task };
}

/**
 * What is listed: `store.list('event', scope, filter, page)`. A page has up to `limit + 1` rows in the order it is walked: newest first, or
 * nearest first for a page before a cursor.
 */
export interface Listed {
  /** `status` means the effective one at `now`: an overdue session that is not held counts as expired. */
  session: { asked: [scope: Scope, filter: SessionFilter, page: PageRequest, now: Instant]; row: Session };
  transaction: { asked: [scope: Scope, filter: TransactionFilter, page: PageRequest]; row: Transaction };
  /** Documents of one noun. */
  document: { asked: [scope: Scope, noun: string, filter: DocumentFilter, page: PageRequest]; row: Document };
  delivery: { asked: [scope: Scope, filter: DeliveryFilter, page: PageRequest]; row: DeliveryRecord };
  /**
   * The order is that of creation, within an instant that of the sequence, and then of the id, so it is total though
   * ids are random. After or before an event that is not there comes nothing.
   */
  event: { asked: [scope: Scope, filter: EventFilter, page: PageRequest]; row: GateEvent };
  /** All events of one session, in the order of their sequence. */
  session_event: { asked: [scope: Scope, sessionId: string]; row: GateEvent };
}

/** A way to find each noun. `find: (noun, ...key) => finders[noun](...key)` then is the port's. */
export type Finders = {
  readonly [Noun in keyof RowsByKey]: (...key: RowsByKey[Noun]['key']) => Promise<RowsByKey[Noun]['row'] | null>;
};

/** A way to list each noun. `list: (noun, ...asked) => listers[noun](...asked)` then is the port's. */
export type Listers = {
  readonly [Noun in keyof Listed]: (...asked: Listed[Noun]['asked']) => Promise<readonly Listed[Noun]['row'][]>;
};

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
