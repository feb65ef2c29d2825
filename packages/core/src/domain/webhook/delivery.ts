import { ok, type Result } from 'neverthrow';
import { type Instant, MINUTE } from '../instant.js';
import type { Mode, Scope } from '../mode.js';
import type { Policy } from '../policy.js';
import { type Refusal, refuse } from '../refusal.js';

/** How long a worker holds a claimed delivery; several times the attempt timeout, so no heartbeat is needed. */
export const DELIVERY_LEASE = MINUTE;

/** `pending` until the first attempt is recorded, `retrying` between attempts; the last two are final. */
export const DELIVERY_STATUSES = ['pending', 'retrying', 'delivered', 'dead_lettered'] as const;

/** One of `DELIVERY_STATUSES`. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * Lanes are claimed separately. Webhooks have two, so that a backlog of retries does not delay new events. Each consumer has one lane per
 * event type, so that only processes that run the consumer claim its deliveries.
 */
export type Lane = 'first' | 'retry' | typeof PAUSED_LANE | ConsumerLane;

/**
 * Due webhooks of paused endpoints. They have their own lane, so that a long pause does not slow down claims for other endpoints. They keep
 * their due time, so they are sent in their original order.
 */
export const PAUSED_LANE = 'paused';

/** Deliveries to one consumer, of one event type. */
export type ConsumerLane = `consumer:${string}/${string}`;

/** The lanes of webhooks. */
export const LANES = ['first', 'retry'] as const satisfies readonly Lane[];

/** The lane of one consumer and type of event. */
export function consumerLane({ name, type }: { readonly name: string; readonly type: string }): ConsumerLane {
  return `consumer:${name}/${type}`;
}

/** `webhook` posts to the partner's endpoint; other values name an in-process consumer of the host. */
export type DeliveryTarget = 'webhook' | `consumer:${string}`;

/** The delivery of one event to one target. The row is authoritative; queues only wake workers. */
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
  /** Attempts recorded since the last replay. */
  readonly attemptCount: number;
  /** All recorded attempts; also the number of the last one. */
  readonly attemptsTotal: number;
  readonly replayCount: number;
  /** When it is next due; null once it has ended. */
  readonly dueAt: Instant | null;
  readonly leaseToken: string | null;
  readonly leaseUntil: Instant | null;
  /** Claims since the last recorded attempt. A crash counts here and does not use up an attempt. */
  readonly claims: number;
  /** Set after too many claims without an outcome; an operator must investigate. */
  readonly parkedAt: Instant | null;
  readonly trigger: DeliveryAttemptTrigger;
  readonly url: string | null;
  readonly lastResponseStatus: number | null;
  readonly lastError: DeliveryError | null;
  readonly createdAt: Instant;
  readonly lastAttemptAt: Instant | null;
  readonly deliveredAt: Instant | null;
  readonly deadLetteredAt: Instant | null;
  /** The trace context that the event was created in; absent without tracing. Every attempt continues it. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** The `traceparent` in which it was replayed last, which every later attempt links to; absent without tracing. */
  readonly replayedIn?: string | undefined;
}

/** Whether the delivery was delivered or dead-lettered; no further attempt follows automatically. */
export function hasEnded({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'delivered' || status === 'dead_lettered';
}

/** When the delivery ended; null while attempts may follow. */
export function endedAt(delivery: Delivery): Instant | null {
  return hasEnded(delivery) ? (delivery.deliveredAt ?? delivery.deadLetteredAt) : null;
}

/** Why a delivery attempt was made. */
export const DELIVERY_ATTEMPT_TRIGGERS = ['initial', 'scheduled', 'replay'] as const;

/** One of `DELIVERY_ATTEMPT_TRIGGERS`. */
export type DeliveryAttemptTrigger = (typeof DELIVERY_ATTEMPT_TRIGGERS)[number];

/** Errors of an attempt other than the response status. */
export type DeliveryError =
  | 'timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns'
  | 'tls'
  | 'proxy'
  | 'blocked_destination'
  | 'redirect_not_followed'
  | 'invalid_response'
  | 'consumer_failed'
  | 'endpoint_missing';

/** The result of an attempt, as observed by the sender. */
export interface DeliveryAttemptResult {
  readonly url: string | null;
  readonly startedAt: Instant;
  readonly durationMs: number;
  /** Status of the response; null if there was none. */
  readonly responseStatus: number | null;
  /** At most 1 KiB of text. */
  readonly responseBody: string | null;
  readonly error: DeliveryError | null;
}

/** A recorded delivery attempt. */
export interface DeliveryAttempt extends DeliveryAttemptResult {
  readonly number: number;
  readonly trigger: DeliveryAttemptTrigger;
}

const CONSUMER = 'consumer:';

/** The consumer that the delivery is for; null for a webhook. */
export function consumerOf(target: DeliveryTarget): string | null {
  return target === 'webhook' ? null : target.slice(CONSUMER.length);
}

/** The given lane for a webhook; the consumer's own lane otherwise. */
function laneOf(
  { target, eventType }: Pick<Delivery, 'target' | 'eventType'>,
  ofWebhook: (typeof LANES)[number],
): Lane {
  const name = consumerOf(target);
  return name === null ? ofWebhook : consumerLane({ name, type: eventType });
}

/** The fields of a new delivery. */
export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly sessionId: string | null;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly target: DeliveryTarget;
}

/** A delivery that is due at `now`, without attempts. */
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

/** Number of attempts before dead-lettering: one initial, and one after each delay. */
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
 * The state after an attempt that ended at `now`. Attempts are counted when they are recorded, so a crash between claim and record uses up
 * none of them.
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
  // Copied member by member: this runs for every attempt, and spreading then overriding costs twice as much.
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
  return { attempt, delivery: inTraceOf(delivery, recorded) };
}

/** Absent members stay absent. */
function inTraceOf({ traceparent, tracestate, replayedIn }: Delivery, recorded: Delivery): Delivery {
  if (traceparent === undefined && replayedIn === undefined) return recorded;
  return {
    ...recorded,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(replayedIn === undefined ? {} : { replayedIn }),
  };
}

/** Parks a delivery that was claimed too often without an outcome, for an operator. It stays `retrying`, with no next attempt. */
export function parkDelivery(delivery: Delivery, now: Instant): Delivery {
  return { ...delivery, status: 'retrying', parkedAt: now, leaseToken: null, leaseUntil: null };
}

/** Returns a delivery, uncounted, when the claiming process does not run its consumer. */
export function leaveDelivery(delivery: Delivery): Delivery {
  return { ...delivery, lane: laneOf(delivery, 'first'), leaseToken: null, leaseUntil: null, claims: 0 };
}

/** Moves a webhook of a paused endpoint to the paused lane. No attempt is counted. */
export function holdDelivery(delivery: Delivery): Delivery {
  return { ...delivery, lane: PAUSED_LANE, leaseToken: null, leaseUntil: null, claims: 0 };
}

/** Returns a held webhook to the lane it would be in without the pause. */
export function releaseDelivery(delivery: Delivery): Delivery {
  const lane = laneOf(delivery, delivery.attemptsTotal === 0 ? 'first' : 'retry');
  return { ...delivery, lane, leaseToken: null, leaseUntil: null, claims: 0 };
}

/** Dead-letters a delivery whose consumer was removed. */
export function endDelivery(delivery: Delivery, now: Instant): Delivery {
  const ended = { status: 'dead_lettered', dueAt: null, deadLetteredAt: now, lastError: 'endpoint_missing' } as const;
  return { ...delivery, ...ended, leaseToken: null, leaseUntil: null, claims: 0 };
}

/** The key under which deliveries share concurrency slots, separate per partner, mode and target. */
export function deliveryEndpoint(delivery: Pick<Delivery, 'partnerId' | 'mode' | 'target'>): string {
  return `${delivery.partnerId}/${delivery.mode}/${delivery.target}`;
}

/** The only endpoint that a partner has in a lane and mode: a lane is of webhooks, or of one consumer. */
export function laneEndpoint({ partnerId, mode }: Scope, lane: Lane): string {
  return deliveryEndpoint({ partnerId, mode, target: targetOf(lane) });
}

/** The endpoint of a sandbox in a lane. */
export function sandboxEndpoint(partnerId: string, lane: Lane): string {
  return laneEndpoint({ partnerId, mode: 'test' }, lane);
}

function targetOf(lane: Lane): DeliveryTarget {
  // A type of event has no slash, a name may.
  return lane.startsWith(CONSUMER) ? `${CONSUMER}${lane.slice(CONSUMER.length, lane.lastIndexOf('/'))}` : 'webhook';
}

/** Only dead-lettered deliveries can be replayed. */
export type NotDeadLettered = Refusal<'delivery_not_dead_lettered'>;

/**
 * Makes a dead-lettered delivery due now, with the same event and bytes and all attempts available again. Attempt numbers continue. It uses
 * the retry lane, so that replays never delay new events.
 */
export function replay(delivery: Delivery, now: Instant): Result<Delivery, NotDeadLettered> {
  if (delivery.status !== 'dead_lettered') {
    return refuse(
      'delivery_not_dead_lettered',
      `Only a dead-lettered delivery can be replayed; this one is ${delivery.status}.`,
    );
  }
  const { replayedIn: _, ...own } = delivery;
  return ok({
    ...own,
    status: 'pending',
    lane: laneOf(delivery, 'retry'),
    trigger: 'replay',
    attemptCount: 0,
    replayCount: delivery.replayCount + 1,
    dueAt: now,
    deadLetteredAt: null,
  });
}
