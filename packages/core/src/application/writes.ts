import type { Instant } from '../domain/instant.js';
import type { Scope } from '../domain/mode.js';
import type { Purchase } from '../domain/purchase/purchase.js';
import type { Announcement, Session } from '../domain/session/session.js';
import type { JsonText } from '../domain/json/json-text.js';
import { placeMoves } from '../domain/quota/quota.js';
import { newDelivery, type DeliveryTarget } from '../domain/webhook/delivery.js';
import { sealEvent, type GateEvent } from '../domain/webhook/event.js';
import type { Change, DeliveryWrite, RowWrite } from '../ports/change.js';
import type { KnownConsumers } from './deliveries/consumers.js';
import type { Engine } from './engine.js';

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
): Pick<Change, 'sessions' | 'intents' | 'transactions' | 'counters'> {
  return {
    sessions: before.session === next.session ? [] : [updated(before.session, next.session)],
    intents: before.intent === next.intent ? [] : [updated(before.intent, next.intent)],
    transactions: before.transaction === next.transaction ? [] : [updated(before.transaction, next.transaction)],
    counters: placeMoves(before, next).map((move) => ({ ...move, atLeast: null })),
  };
}

/** Announcements of a session as events, frozen, each with a delivery for every target. At once, unless the host's tenants must be asked. */
export function sessionEvents(
  engine: Engine,
  session: Session,
  announcements: readonly Announcement[],
  now: Instant,
): EventWrites | Promise<EventWrites> {
  if (announcements.length === 0) return NO_EVENTS;
  const audience = audienceOf(engine, { partnerId: session.partnerId, mode: session.mode });
  if (audience instanceof Promise)
    return audience.then((known) => eventWrites(engine, session, announcements, known, now));
  return eventWrites(engine, session, announcements, audience, now);
}

function eventWrites(
  engine: Engine,
  session: Session,
  announcements: readonly Announcement[],
  audience: Audience,
  now: Instant,
): EventWrites {
  const events: GateEvent[] = [];
  const deliveries: DeliveryWrite[] = [];
  for (const { type, data, sequence } of announcements) {
    const event = newEvent(engine, session, { type, data, sequence, sessionId: session.id }, now);
    events.push(event);
    deliveries.push(...deliveriesOf(engine, event, audience, now));
  }
  return { events, deliveries, consumers: audience.consumers.version };
}

/** An event of the partner rather than of a session. */
export async function partnerEvent(
  engine: Engine,
  scope: Scope,
  news: { readonly type: string; readonly data: JsonText },
  now: Instant,
): Promise<EventWrites> {
  const audience = await audienceOf(engine, scope);
  const event = newEvent(engine, scope, { ...news, sessionId: null, sequence: null }, now);
  return {
    events: [event],
    deliveries: deliveriesOf(engine, event, audience, now),
    consumers: audience.consumers.version,
  };
}

export type EventWrites = Pick<Change, 'events' | 'deliveries' | 'consumers'>;

const NO_EVENTS: EventWrites = { events: [], deliveries: [], consumers: null };

/** Of several decisions the one that knew the oldest registry speaks for all. */
export function joinEvents(...all: readonly EventWrites[]): EventWrites {
  const versions = all.flatMap(({ consumers }) => consumers ?? []);
  return {
    events: all.flatMap((one) => one.events),
    deliveries: all.flatMap((one) => one.deliveries),
    consumers: versions.length === 0 ? null : Math.min(...versions),
  };
}

function newEvent(
  engine: Engine,
  scope: Scope,
  news: {
    readonly type: string;
    readonly data: JsonText;
    readonly sessionId: string | null;
    readonly sequence: number | null;
  },
  now: Instant,
): GateEvent {
  return sealEvent(
    {
      id: engine.ids.uuid(),
      partnerId: scope.partnerId,
      mode: scope.mode,
      sessionId: news.sessionId,
      sequence: news.sequence,
      type: news.type,
      data: news.data,
    },
    now,
  );
}

/** Whom events are owed to. */
interface Audience {
  readonly webhook: WebhookCondition;
  readonly consumers: KnownConsumers;
}

function audienceOf(engine: Engine, scope: Scope): Audience | Promise<Audience> {
  const webhook = webhookCondition(engine, scope);
  const consumers = engine.consumers.known();
  if (!(webhook instanceof Promise) && !(consumers instanceof Promise)) return { webhook, consumers };
  return Promise.all([webhook, consumers]).then(([condition, known]) => ({ webhook: condition, consumers: known }));
}

type WebhookCondition = DeliveryWrite['when'] | 'never';

/** Our own store looks at commit; a host's tenants are asked just before it. */
function webhookCondition(engine: Engine, scope: Scope): WebhookCondition | Promise<WebhookCondition> {
  if (engine.partners === engine.store) return 'endpoint_set';
  return engine.partners.findEndpoint(scope).then((endpoint) => (endpoint?.url ? 'always' : 'never'));
}

function deliveriesOf(
  engine: Engine,
  event: GateEvent,
  { webhook, consumers }: Audience,
  now: Instant,
): DeliveryWrite[] {
  const writes: DeliveryWrite[] = [];
  if (webhook !== 'never') writes.push({ row: deliveryOf(engine, event, 'webhook', now), when: webhook });
  for (const name of consumers.namesOf(event.type)) {
    writes.push({ row: deliveryOf(engine, event, `consumer:${name}`, now), when: 'always' });
  }
  return writes;
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
