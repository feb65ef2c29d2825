import {
  sessionStatusAt,
  type Delivery,
  type GateEvent,
  type Instant,
  type Session,
  type Transaction,
} from '@gateramp/core/domain';
import type {
  DeliveryFilter,
  Document,
  DocumentFilter,
  EventFilter,
  SessionFilter,
  TransactionFilter,
} from '@gateramp/core/ports';

/** Uses the effective status: an overdue session counts as expired before it is stored so. */
export function matchesSession(filter: SessionFilter, now: Instant): (session: Session) => boolean {
  return (session) =>
    is(filter.status, sessionStatusAt(session, now)) &&
    is(filter.flow, session.terms.flow) &&
    is(filter.currency, session.terms.currency) &&
    is(filter.userReference, session.userReference) &&
    isWithin(filter, session.createdAt);
}

export function matchesTransaction(filter: TransactionFilter): (transaction: Transaction) => boolean {
  return (transaction) =>
    is(filter.status, transaction.status) &&
    is(filter.flow, transaction.flow) &&
    is(filter.sessionId, transaction.sessionId) &&
    is(filter.userReference, transaction.userReference) &&
    isWithin(filter, transaction.createdAt);
}

export function matchesDelivery(filter: DeliveryFilter): (delivery: Delivery) => boolean {
  return (delivery) =>
    is(filter.status, delivery.status) &&
    is(filter.target, delivery.target) &&
    is(filter.eventType, delivery.eventType) &&
    is(filter.eventId, delivery.eventId) &&
    is(filter.sessionId, delivery.sessionId) &&
    isWithin(filter, delivery.createdAt);
}

export function matchesEvent(filter: EventFilter): (event: GateEvent) => boolean {
  return (event) =>
    is(filter.type, event.type) && is(filter.sessionId, event.sessionId) && isWithin(filter, event.createdAt);
}

export function matchesDocument(filter: DocumentFilter): (document: Document) => boolean {
  return (document) => is(filter.group, document.group) && isWithin(filter, document.createdAt);
}

function is(wanted: string | null, value: string | null): boolean {
  return wanted === null || wanted === value;
}

function isWithin(range: Pick<SessionFilter, 'createdAfter' | 'createdBefore'>, instant: Instant): boolean {
  if (range.createdAfter !== null && instant < range.createdAfter) return false;
  return range.createdBefore === null || instant < range.createdBefore;
}
