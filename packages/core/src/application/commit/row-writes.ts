import { ok, type Result } from 'neverthrow';
import type { WireReply } from '../../domain/idempotency/idempotency.js';
import type { Instant } from '../../domain/instant.js';
import { type Scope, scopeOf } from '../../domain/mode.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { slotMoves } from '../../domain/quota/quota.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Announcement, Session } from '../../domain/session/session.js';
import { type DeliveryTarget, newDelivery } from '../../domain/webhook/delivery.js';
import type { EventType } from '../../domain/webhook/event-types.js';
import { freezeEvent, type GateEvent } from '../../domain/webhook/event.js';
import type { Change, DeliveryWrite, IdempotencyOutcome, RowWrite } from '../../ports/change.js';
import type { KnownConsumers } from '../deliveries/consumers.js';
import { documentWrite, RAIL_KINDS } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { type Idempotent, openReply } from '../idempotency/idempotent.js';

/** The recipients of a partner's events, as far as they are known before the commit. */
export interface Audience {
  readonly webhook: DeliveryWrite['when'] | 'never';
  readonly consumers: KnownConsumers;
}

/** Must be loaded before each decision that may announce events. The commit refuses a registry of consumers that is out of date. */
export async function loadAudience(engine: Engine, scope: Scope): Promise<Audience> {
  const { partners, partnerStore, consumers } = engine;
  // The engine's own store checks the endpoint at commit; a host's partners are read just before it.
  const webhook = partners === partnerStore ? 'endpoint_set' : await hostsCondition(partners, scope);
  return { webhook, consumers: await consumers.known() };
}

async function hostsCondition(partners: Engine['partners'], scope: Scope): Promise<'always' | 'never'> {
  const endpoint = await partners.findEndpoint(scope);
  return endpoint?.url ? 'always' : 'never';
}

type EventWrites = Pick<Change, 'events' | 'deliveries' | 'consumers'>;

/** A session's announcements as frozen events, each with a delivery per recipient. */
export function sessionEvents(
  engine: Engine,
  audience: Audience,
  session: Session,
  announcements: readonly Announcement[],
  now: Instant,
): EventWrites {
  return eventWrites(engine, audience, { scope: scopeOf(session), sessionId: session.id }, announcements, now);
}

/** A purchase's announcements as events of its session, or of no session for a payment over rails. */
export function purchaseEvents(
  engine: Engine,
  audience: Audience,
  { intent }: Purchase,
  announcements: readonly Announcement[],
  now: Instant,
): EventWrites {
  return eventWrites(engine, audience, { scope: scopeOf(intent), sessionId: intent.sessionId }, announcements, now);
}

/** An event of the partner, without a session. */
export function partnerEvent<Type extends EventType>(
  engine: Engine,
  audience: Audience,
  scope: Scope,
  announcement: Omit<Announcement<Type>, 'sequence'>,
  now: Instant,
): EventWrites {
  return eventWrites(engine, audience, { scope, sessionId: null }, [{ ...announcement, sequence: null }], now);
}

/** Joins several decisions; the oldest registry version among them is checked at commit. */
export function joinEvents(...all: readonly EventWrites[]): EventWrites {
  const versions = all.flatMap(({ consumers }) => consumers ?? []);
  return {
    events: all.flatMap((one) => one.events),
    deliveries: all.flatMap((one) => one.deliveries),
    consumers: versions.length === 0 ? null : Math.min(...versions),
  };
}

/** The owner of the events. */
interface Owner {
  readonly scope: Scope;
  readonly sessionId: string | null;
}

/** Without announcements the change does not depend on the consumer registry. */
function eventWrites(
  engine: Engine,
  audience: Audience,
  { scope: { partnerId, mode }, sessionId }: Owner,
  announcements: readonly Announcement[],
  now: Instant,
): EventWrites {
  const events: GateEvent[] = [];
  const deliveries: DeliveryWrite[] = [];
  for (const { type, data, sequence } of announcements) {
    const event = freezeEvent({ id: engine.ids.uuid(now), partnerId, mode, sessionId, sequence, type, data }, now);
    events.push(event);
    addDeliveries(deliveries, engine, audience, event, now);
  }
  return { events, deliveries, consumers: events.length === 0 ? null : audience.consumers.version };
}

function addDeliveries(
  writes: DeliveryWrite[],
  engine: Engine,
  { webhook, consumers }: Audience,
  event: GateEvent,
  now: Instant,
): void {
  if (webhook !== 'never') writes.push({ row: deliveryOf(engine, event, 'webhook', now), when: webhook });
  for (const name of consumers.namesOf(event.type)) {
    writes.push({ row: deliveryOf(engine, event, `consumer:${name}`, now), when: 'always' });
  }
}

function deliveryOf(engine: Engine, event: GateEvent, target: DeliveryTarget, now: Instant) {
  return newDelivery(
    {
      id: engine.ids.object(now),
      eventId: event.id,
      eventType: event.type,
      sessionId: event.sessionId,
      partnerId: event.partnerId,
      mode: event.mode,
      target,
    },
    now,
  );
}

/** The next version of a row that was read; the commit refuses it if the row has changed since. */
export function updated<Row extends { readonly version: number }>(before: Row, next: Row): RowWrite<Row> {
  return { row: { ...next, version: before.version + 1 }, expectedVersion: before.version };
}

export function inserted<Row extends { readonly version: number }>(row: Row): RowWrite<Row> {
  return { row: { ...row, version: 1 }, expectedVersion: null };
}

/** The rows of a purchase that a step has changed, and its quota slots. Unchanged rows are the same object. */
export function purchaseWrites(
  before: Purchase,
  next: Purchase,
): Pick<Change, 'sessions' | 'intents' | 'transactions' | 'documents' | 'counters'> {
  return {
    sessions:
      before.session === null || next.session === null || before.session === next.session
        ? []
        : [updated(before.session, next.session)],
    intents: before.intent === next.intent ? [] : [updated(before.intent, next.intent)],
    transactions: before.transaction === next.transaction ? [] : [updated(before.transaction, next.transaction)],
    documents:
      before.session !== null || next.session !== null || before.payment === next.payment
        ? []
        : [documentWrite(RAIL_KINDS[next.payment.kind], next.payment, before.payment)],
    counters: slotMoves(before, next).map((move) => ({ ...move, atLeast: null })),
  };
}

/** The result of an earlier use of the key. */
export type StoredKeyResult =
  | { readonly kind: 'replayed'; readonly reply: WireReply }
  /** Started by a request that has not yet sealed its reply. */
  | { readonly kind: 'started'; readonly resourceId: string; readonly taskId: string };

export type KeyRefusal = Refusal<'idempotency_key_mismatch'>;

/** Looks up the key before anything is decided; null if it is unused. */
export async function findStored<Value>(
  engine: Engine,
  idempotent: Idempotent<Value>,
): Promise<Result<StoredKeyResult, KeyRefusal> | null> {
  const found = await engine.store.findReply(idempotent.ref, engine.clock.now(idempotent.owner));
  return found === null ? null : storedKeyResult(idempotent, found);
}

export function storedKeyResult<Value>(
  idempotent: Idempotent<Value>,
  outcome: IdempotencyOutcome,
): Result<StoredKeyResult, KeyRefusal> {
  switch (outcome.kind) {
    case 'replay':
      return ok({ kind: 'replayed', reply: openReply(idempotent, outcome.reply) });
    case 'in_progress':
      return ok({ kind: 'started', resourceId: outcome.resourceId, taskId: outcome.taskId });
    case 'key_mismatch':
      return refuse(
        'idempotency_key_mismatch',
        'This Idempotency-Key was used with a different request; use a new key for a new operation.',
      );
  }
}

/** Deletes a package from the host's vault. Never rejects: what fails now is deleted at its `forgetBy`. */
export async function forgetPackage({ vault, telemetry }: Engine, sessionId: string): Promise<void> {
  try {
    await vault.forget(sessionId);
  } catch (error) {
    telemetry.failure(error, { place: 'kyc vault', session_id: sessionId });
  }
}
