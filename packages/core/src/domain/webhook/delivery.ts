import { ok, type Result } from 'neverthrow';
import { type Instant, MINUTE } from '../instant.js';
import type { Mode } from '../mode.js';
import type { Policy } from '../policy.js';
import { type Refusal, refuse } from '../refusal.js';

/** A worker has a claimed delivery for this long: several times what an attempt may take, so no heartbeat is needed. */
export const DELIVERY_LEASE = MINUTE;

/** `pending` before its first attempt is recorded, `retrying` between attempts; the last two are ends. */
export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'dead_lettered'] as const;

/** One of `DELIVERY_STATUSES`. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * Lanes are claimed apart. Webhooks have two, so that a backlog of retries delays no fresh event; each consumer has one of its own for
 * each type of event, so that only processes which have its function claim what is for it.
 */
export type Lane = 'first' | 'retry' | typeof PAUSED_LANE | ConsumerLane;

/**
 * Due webhooks of paused endpoints. They wait in a lane of their own, so a long pause adds nothing to the claims of other endpoints, and
 * keep their due time, so they are sent in their original order.
 */
export const PAUSED_LANE = 'paused';

/** What is owed to one consumer, of one type of event. */
export type ConsumerLane = `consumer:${string}/${string}`;

/** The lanes of webhooks. */
export const LANES = ['first', 'retry'] as const satisfies readonly Lane[];

/** The lane of one consumer and type of event. */
export function consumerLane({ name, type }: { readonly name: string; readonly type: string }): ConsumerLane {
  return `consumer:${name}/${type}`;
}

/** `webhook` posts to the partner's endpoint; anything else names an in-process consumer of the host. */
export type DeliveryTarget = 'webhook' | `consumer:${string}`;

/** One event on its way to one target. The row is the truth; queues only remind. */
export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly sessionId: string | null;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly target: DeliveryTarget;
  readonly status: DeliveryStatus;
  readonly lane: Lane;
  /** Recorded attempts of the present budget. */
  readonly attemptCount: number;
  /** Recorded attempts ever, the number of the last one. */
  readonly attemptsTotal: number;
  readonly replayCount: number;
  /** When it is next due; null once it is delivered or dead. */
  readonly dueAt: Instant | null;
  readonly leaseToken: string | null;
  readonly leaseUntil: Instant | null;
  /** Claims since the last recorded attempt: a crash counts here and burns no attempt. */
  readonly claims: number;
  /** Set when it was claimed over and over without an outcome; an operator must look. */
  readonly parkedAt: Instant | null;
  readonly trigger: DeliveryAttemptTrigger;
  readonly url: string | null;
  readonly lastResponseStatus: number | null;
  readonly lastError: DeliveryError | null;
  readonly createdAt: Instant;
  readonly lastAttemptAt: Instant | null;
  readonly deliveredAt: Instant | null;
  readonly deadLetteredAt: Instant | null;
}

/** Delivered, or given up: no attempt follows by itself. */
export function hasEnded({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'delivered' || status === 'dead_lettered';
}

/** Null while attempts may follow. */
export function endedAt(delivery: Delivery): Instant | null {
  return hasEnded(delivery) ? (delivery.deliveredAt ?? delivery.deadLetteredAt) : null;
}

/** Why a delivery attempt was made. */
export const DELIVERY_ATTEMPT_TRIGGERS = ['initial', 'scheduled', 'replay'] as const;

/** One of `DELIVERY_ATTEMPT_TRIGGERS`. */
export type DeliveryAttemptTrigger = (typeof DELIVERY_ATTEMPT_TRIGGERS)[number];

/** What went wrong with an attempt besides the status of its answer. */
export type DeliveryError =
  | 'timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns'
  | 'tls'
  | 'blocked_destination'
  | 'redirect_not_followed'
  | 'invalid_response'
  | 'consumer_failed'
  | 'endpoint_missing';

/** How an attempt ended, as the sender saw it. */
export interface DeliveryAttemptResult {
  readonly url: string | null;
  readonly startedAt: Instant;
  readonly durationMs: number;
  /** Status of the answer; null when there was none. */
  readonly responseStatus: number | null;
  /** At most 1 KiB, as text. */
  readonly responseBody: string | null;
  readonly error: DeliveryError | null;
}

/** One try at a delivery, as it is kept. */
export interface DeliveryAttempt extends DeliveryAttemptResult {
  readonly number: number;
  readonly trigger: DeliveryAttemptTrigger;
}

const CONSUMER = 'consumer:';

/** The consumer a delivery is for; null for a webhook. */
export function consumerOf(target: DeliveryTarget): string | null {
  return target === 'webhook' ? null : target.slice(CONSUMER.length);
}

/** A webhook waits in one of the two lanes; what is for a consumer always in its own. */
function laneOf(
  { target, eventType }: Pick<Delivery, 'target' | 'eventType'>,
  ofWebhook: (typeof LANES)[number],
): Lane {
  const name = consumerOf(target);
  return name === null ? ofWebhook : consumerLane({ name, type: eventType });
}

/** What a delivery is made of. */
export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly sessionId: string | null;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly target: DeliveryTarget;
}

/** A delivery that is due at `now`, with no attempt behind it. */
export function newDelivery(input: NewDelivery, now: Instant): Delivery {
  return {
    id: input.id,
    eventId: input.eventId,
    eventType: input.eventType,
    sessionId: input.sessionId,
    partnerId: input.partnerId,
    mode: input.mode,
    target: input.target,
    status: 'pending',
    lane: laneOf(input, 'first'),
    attemptCount: 0,
    attemptsTotal: 0,
    replayCount: 0,
    dueAt: now,
    leaseToken: null,
    leaseUntil: null,
    claims: 0,
    parkedAt: null,
    trigger: 'initial',
    url: null,
    lastResponseStatus: null,
    lastError: null,
    createdAt: now,
    lastAttemptAt: null,
    deliveredAt: null,
    deadLetteredAt: null,
  };
}

/** Delivery attempts before it is dead-lettered: the first, and one after each gap. */
export function deliveryAttemptsMax(policy: Policy): number {
  return policy.retryGaps.length + 1;
}

/** Any 2xx acknowledges (spec: Delivery rules 1). */
export function isAcknowledged(result: DeliveryAttemptResult): boolean {
  return (
    result.error === null &&
    result.responseStatus !== null &&
    result.responseStatus >= 200 &&
    result.responseStatus < 300
  );
}

/**
 * The next state after an attempt that ended at `now`. The attempt is counted here, when it is
 * recorded: a crash between claim and record burns none of the five.
 */
export function recordDeliveryAttempt(
  delivery: Delivery,
  result: DeliveryAttemptResult,
  now: Instant,
  policy: Policy,
): { readonly delivery: Delivery; readonly attempt: DeliveryAttempt } {
  const attemptCount = delivery.attemptCount + 1;
  const attemptsTotal = delivery.attemptsTotal + 1;
  const gap = policy.retryGaps[attemptCount - 1];
  const status = isAcknowledged(result) ? 'delivered' : gap === undefined ? 'dead_lettered' : 'retrying';
  const attempt: DeliveryAttempt = { ...result, number: attemptsTotal, trigger: delivery.trigger };
  // Member by member: one is made for every attempt, and a copy that is then changed costs twice as much.
  const recorded: Delivery = {
    id: delivery.id,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    sessionId: delivery.sessionId,
    partnerId: delivery.partnerId,
    mode: delivery.mode,
    target: delivery.target,
    status,
    lane: laneOf(delivery, 'retry'),
    attemptCount,
    attemptsTotal,
    replayCount: delivery.replayCount,
    dueAt: status === 'retrying' && gap !== undefined ? now + gap : null,
    leaseToken: null,
    leaseUntil: null,
    claims: 0,
    parkedAt: delivery.parkedAt,
    trigger: 'scheduled',
    url: result.url,
    lastResponseStatus: result.responseStatus,
    lastError: result.error,
    createdAt: delivery.createdAt,
    lastAttemptAt: result.startedAt,
    deliveredAt: status === 'delivered' ? now : delivery.deliveredAt,
    deadLetteredAt: status === 'dead_lettered' ? now : delivery.deadLetteredAt,
  };
  return { attempt, delivery: recorded };
}

/** Claimed over and over without an outcome: stop spinning on it and report it. It stays `retrying`, with no next attempt. */
export function parkDelivery(delivery: Delivery, now: Instant): Delivery {
  return { ...delivery, status: 'retrying', parkedAt: now, leaseToken: null, leaseUntil: null };
}

/** Claimed by a process that has not its consumer: left, uncounted, to those that have. */
export function leaveDelivery(delivery: Delivery): Delivery {
  return { ...delivery, lane: laneOf(delivery, 'first'), leaseToken: null, leaseUntil: null, claims: 0 };
}

/** Moves a webhook of a paused endpoint out of the lanes that are sent. No attempt is counted. */
export function holdDelivery(delivery: Delivery): Delivery {
  return { ...delivery, lane: PAUSED_LANE, leaseToken: null, leaseUntil: null, claims: 0 };
}

/** Returns a held webhook to the lane it would be in without the pause. */
export function releaseDelivery(delivery: Delivery): Delivery {
  const lane = laneOf(delivery, delivery.attemptsTotal === 0 ? 'first' : 'retry');
  return { ...delivery, lane, leaseToken: null, leaseUntil: null, claims: 0 };
}

/** Its consumer was removed, so it will never be taken. */
export function endDelivery(delivery: Delivery, now: Instant): Delivery {
  const ended = { status: 'dead_lettered', dueAt: null, deadLetteredAt: now, lastError: 'endpoint_missing' } as const;
  return { ...delivery, ...ended, leaseToken: null, leaseUntil: null, claims: 0 };
}

/** Deliveries of one endpoint share its places; two partners, modes or consumers never do. */
export function deliveryEndpoint(delivery: Pick<Delivery, 'partnerId' | 'mode' | 'target'>): string {
  return `${delivery.partnerId}/${delivery.mode}/${delivery.target}`;
}

/** Only a delivery that has been given up may be begun again. */
export type NotDeadLettered = Refusal<'delivery_not_dead_lettered'>;

/**
 * Begins a dead-lettered delivery again, due at once: the same event and bytes, a fresh budget. Its attempts go on being numbered. It waits
 * with the retries, so that however many are replayed, none delays a fresh event.
 */
export function replay(delivery: Delivery, now: Instant): Result<Delivery, NotDeadLettered> {
  if (delivery.status !== 'dead_lettered') {
    return refuse(
      'delivery_not_dead_lettered',
      `Only a dead-lettered delivery can be replayed; this one is ${delivery.status}.`,
    );
  }
  return ok({
    ...delivery,
    status: 'pending',
    lane: laneOf(delivery, 'retry'),
    trigger: 'replay',
    attemptCount: 0,
    replayCount: delivery.replayCount + 1,
    dueAt: now,
    deadLetteredAt: null,
  });
}
