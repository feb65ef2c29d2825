import type { Instant } from '../../domain/instant.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import type { Announcement, Session } from '../../domain/session/session.js';
import { newDelivery, type DeliveryTarget } from '../../domain/webhook/delivery.js';
import type { EventType } from '../../domain/webhook/event-types.js';
import { freezeEvent, type GateEvent } from '../../domain/webhook/event.js';
import type { Change, DeliveryWrite } from '../../ports/change.js';
import type { Engine } from '../engine.js';
import type { Audience } from './audience.js';

export type EventWrites = Pick<Change, 'events' | 'deliveries' | 'consumers'>;

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
