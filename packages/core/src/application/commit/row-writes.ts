import { ok, type Result } from 'neverthrow';
import type { WireReply } from '../../domain/idempotency/idempotency.js';
import type { Instant } from '../../domain/instant.js';
import { type Scope, scopeOf } from '../../domain/mode.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { placeMoves } from '../../domain/quota/quota.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Announcement, Session } from '../../domain/session/session.js';
import { type DeliveryTarget, newDelivery } from '../../domain/webhook/delivery.js';
import type { EventType } from '../../domain/webhook/event-types.js';
import { freezeEvent, type GateEvent } from '../../domain/webhook/event.js';
import type { Change, DeliveryWrite, IdempotencyOutcome, RowWrite } from '../../ports/change.js';
import type { KnownConsumers } from '../deliveries/consumers.js';
import { documentWrite } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { type Idempotent, openReply } from '../idempotency/idempotent.js';
import { RAIL_KINDS } from '../rails/rail-kinds.js';

/** Whom events of a partner are owed to, as far as it is known before the commit. */
export interface Audience {
  readonly webhook: DeliveryWrite['when'] | 'never';
  readonly consumers: KnownConsumers;
}

/** To be loaded before every decision that may announce something. The commit refuses consumers that have become old. */
export async function loadAudience(engine: Engine, scope: Scope): Promise<Audience> {
  const { partners, partnerStore, consumers } = engine;
  // Our own store looks at commit; a host's tenants are asked just before it.
  const webhook = partners === partnerStore ? 'endpoint_set' : await hostsCondition(partners, scope);
  return { webhook, consumers: await consumers.known() };
}

async function hostsCondition(partners: Engine['partners'], scope: Scope): Promise<'always' | 'never'> {
  const endpoint = await partners.findEndpoint(scope);
  return endpoint?.url ? 'always' : 'never';
}

type EventWrites = Pick<Change, 'events' | 'deliveries' | 'consumers'>;

/** Announcements of a session as events, frozen, each with a delivery for every recipient. */
export function sessionEvents(
  engine: Engine,
  audience: Audience,
  session: Session,
  announcements: readonly Announcement[],
  now: Instant,
): EventWrites {
  return eventWrites(engine, audience, { scope: scopeOf(session), sessionId: session.id }, announcements, now);
}

/** Announcements of a purchase: of its session, or of a payment over rails, whose events are of no session. */
export function purchaseEvents(
  engine: Engine,
  audience: Audience,
  { intent }: Purchase,
  announcements: readonly Announcement[],
  now: Instant,
): EventWrites {
  return eventWrites(engine, audience, { scope: scopeOf(intent), sessionId: intent.sessionId }, announcements, now);
}

/** An event of the partner rather than of a session. */
export function partnerEvent<Type extends EventType>(
  engine: Engine,
  audience: Audience,
  scope: Scope,
  announcement: Omit<Announcement<Type>, 'sequence'>,
  now: Instant,
): EventWrites {
  return eventWrites(engine, audience, { scope, sessionId: null }, [{ ...announcement, sequence: null }], now);
}

/** Of several decisions the one that knew the oldest registry speaks for all. */
export function joinEvents(...all: readonly EventWrites[]): EventWrites {
  const versions = all.flatMap(({ consumers }) => consumers ?? []);
  return {
    events: all.flatMap((one) => one.events),
    deliveries: all.flatMap((one) => one.deliveries),
    consumers: versions.length === 0 ? null : Math.min(...versions),
  };
}

/** Whose events they are. */
interface Owner {
  readonly scope: Scope;
  readonly sessionId: string | null;
}

/** What announces nothing depends on no consumer. */
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
    const event = freezeEvent({ id: engine.ids.uuid(), partnerId, mode, sessionId, sequence, type, data }, now);
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

/** The next row of one that was read; the commit refuses it if the row has moved on since. */
export function updated<Row extends { readonly version: number }>(before: Row, next: Row): RowWrite<Row> {
  return { row: { ...next, version: before.version + 1 }, expectedVersion: before.version };
}

export function inserted<Row extends { readonly version: number }>(row: Row): RowWrite<Row> {
  return { row: { ...row, version: 1 }, expectedVersion: null };
}

/** The rows of a purchase that a step has changed, and the quota's places with them; unchanged ones are the same object. */
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
    counters: placeMoves(before, next).map((move) => ({ ...move, atLeast: null })),
  };
}

/** What a key says that was used before. */
export type StoredKeyResult =
  | { readonly kind: 'replayed'; readonly reply: WireReply }
  /** It was `started` by a request that has not sealed its reply. */
  | { readonly kind: 'started'; readonly resourceId: string; readonly taskId: string };

export type KeyRefusal = Refusal<'idempotency_key_mismatch'>;

/** What the key says already, before anything is decided; null when it is free. */
export async function findStored<Value>(
  engine: Engine,
  idempotent: Idempotent<Value>,
): Promise<Result<StoredKeyResult, KeyRefusal> | null> {
  const found = await engine.store.findReply(idempotent.ref, engine.clock.now(idempotent.mode));
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
