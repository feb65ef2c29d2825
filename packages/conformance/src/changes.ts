import {
  MINUTE,
  scopeOf,
  type Delivery,
  type GateEvent,
  type Instant,
  type SessionPurchase,
  type Session,
  type Transition,
} from '@gateramp/core/domain';
import {
  emptyChange,
  type Change,
  type DeliveryWrite,
  type IdempotencyRef,
  type IdempotencyWrite,
  type RowWrite,
} from '@gateramp/core/ports';
import { ACME, aDelivery, aHash, aSession, anEvent, type SessionTraits } from './builders.js';

/** The commit that creates a session: the row, its event, and one delivery of it. */
export function creation(made: Transition, now: Instant = made.session.createdAt): Change {
  return withEvents(emptyChange(scopeOf(made.session), now), made, { row: made.session, expectedVersion: null });
}

/** The commit of a decision made on `before`. */
export function transition(before: Session, step: Transition, now: Instant): Change {
  return withEvents(emptyChange(scopeOf(before), now), step, update(before, step.session));
}

/** Creates a session with default values except `traits`. */
export function sessionCreation(traits: SessionTraits = {}): { readonly session: Session; readonly change: Change } {
  const made = aSession(traits);
  return { session: made.session, change: creation(made) };
}

/** The commit that begins a purchase on a session stored as `before`. */
export function beginning(before: Session, purchase: SessionPurchase, now: Instant): Change {
  return {
    ...emptyChange(scopeOf(before), now),
    sessions: [update(before, purchase.session)],
    intents: [insert(purchase.intent)],
    transactions: [insert(purchase.transaction)],
  };
}

/** Inserts a row. */
export function insert<Row>(row: Row): RowWrite<Row> {
  return { row, expectedVersion: null };
}

/** Each commit that writes a row increments its version. */
export function update<Row extends { readonly version: number }>(before: Row, next: Row): RowWrite<Row> {
  return { row: { ...next, version: before.version + 1 }, expectedVersion: before.version };
}

/** A change with one event without a session, and its delivery. */
export function eventOnly(event: GateEvent, delivery: Delivery = aDelivery(event, event.createdAt)): Change {
  return {
    ...emptyChange(scopeOf(event), event.createdAt),
    events: [event],
    deliveries: [always(delivery)],
  };
}

/** A delivery that does not depend on an endpoint. */
export function always(row: Delivery): DeliveryWrite {
  return { row, when: 'always' };
}

/** A delivery that is kept only if the endpoint has a URL. */
export function ifEndpointSet(row: Delivery): DeliveryWrite {
  return { row, when: 'endpoint_set' };
}

/** The use of a new, unique key. */
export function aKeyUse(scope = `${ACME.partnerId}/test`): IdempotencyRef {
  return { scope, keyHash: aHash(), fingerprint: aHash() };
}

/** Takes the key and seals its reply in the same commit, like requests without external calls. */
export function claim(ref: IdempotencyRef, reply: string, expiresAt: Instant): IdempotencyWrite {
  return { kind: 'claim', ref, state: { kind: 'sealed', reply }, expiresAt };
}

/** Takes the key for work in progress. */
export function start(
  ref: IdempotencyRef,
  ids: { readonly resourceId: string; readonly taskId: string },
  expiresAt: Instant,
): IdempotencyWrite {
  return { kind: 'claim', ref, state: { kind: 'started', ...ids }, expiresAt };
}

/** Completes a started key. */
export function seal(ref: IdempotencyRef, reply: string, expiresAt: Instant): IdempotencyWrite {
  return { kind: 'seal', ref, state: { kind: 'sealed', reply }, expiresAt };
}

/** A lease that lasts longer than an example, unless the example lets it expire. */
export const LEASE_MS = MINUTE;

function withEvents(change: Change, step: Transition, session: RowWrite<Session>): Change {
  const events = step.announcements.map((announcement) => anEvent(step.session, announcement, change.now));
  return {
    ...change,
    sessions: [session],
    events,
    deliveries: events.map((event) => always(aDelivery(event, change.now))),
  };
}
