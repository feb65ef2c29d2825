import { CLAIMS_MAX } from '../../domain/task.js';
import { epochSeconds, type Instant, SECOND } from '../../domain/instant.js';
import { storable } from '../../domain/json.js';
import type { Scope } from '../../domain/mode.js';
import { pausedSince } from '../../domain/partner/partner.js';
import {
  consumerOf,
  type Delivery,
  DELIVERY_LEASE,
  type DeliveryAttemptResult,
  type DeliveryError,
  holdDelivery,
  isAcknowledged,
  leaveDelivery,
  parkDelivery,
  recordDeliveryAttempt,
} from '../../domain/webhook/delivery.js';
import { signatureHeader, textToSign } from '../../domain/webhook/signature.js';
import { type SpanEnd, type SpanStart, type TraceContext, traceContextOf } from '../../ports/edge.js';
import type { ClaimedDelivery } from '../../ports/store.js';
import type { Engine } from '../engine.js';
import { notify } from '../listeners.js';
import { inSpan } from '../tracing.js';
import type { ConsumedEvent, Consumer } from './consumers.js';

/** The URL and signing secrets of a partner's webhooks in one mode. */
interface Recipient {
  readonly url: string;
  /** Decrypted; more than one during the grace period of a rotation. */
  readonly secrets: readonly string[];
}

/** Null if no URL is set. */
type Recipients = (scope: Scope) => Promise<Recipient | 'paused' | null>;

/**
 * Caches recipients for the deliveries of one claim: each endpoint is read, and its secrets are decrypted, once and after the claim. A
 * corrected URL or a rotation therefore takes effect immediately.
 */
export function recipientsOnce({
  partners,
  crypto,
  clock,
  deadlines,
}: Pick<Engine, 'partners' | 'crypto' | 'clock' | 'deadlines'>): Recipients {
  const known = new Map<string, ReturnType<Recipients>>();
  const read: Recipients = async (scope) => {
    const found = await deadlines.within(partners.findEndpoint(scope), FIND_ENDPOINT_MAX_MS);
    if (found.kind === 'late') throw new Error(`An endpoint was not found within ${FIND_ENDPOINT_MAX_MS / SECOND} s.`);
    const endpoint = found.value;
    if (pausedSince(endpoint) !== null) return 'paused';
    if (!endpoint?.url) return null;
    const now = clock.now(scope);
    const signing = endpoint.secrets.filter(({ expiresAt }) => expiresAt === null || now <= expiresAt);
    return { url: endpoint.url, secrets: signing.map(({ sealed }) => crypto.openSecret(sealed, scope)) };
  };
  return (scope) => {
    const name = `${scope.partnerId}/${scope.mode}`;
    const recipient = known.get(name) ?? read(scope);
    known.set(name, recipient);
    return recipient;
  };
}

/** Then the lease ends without an attempt, and the delivery is claimed again. */
const FIND_ENDPOINT_MAX_MS = 10 * SECOND;

/**
 * Makes one attempt of a leased delivery and records it. Sends the event's exact bytes with a new signature. If the lease was lost
 * meanwhile, the row belongs to its new holder. Returns the result; null if no attempt was made.
 */
export function attemptDelivery(
  engine: Engine,
  claimed: ClaimedDelivery,
  recipients: Recipients,
  onAnswered: () => void = () => undefined,
): Promise<DeliveryAttemptResult | null> {
  const { traceparent, tracestate, replayedIn } = claimed.delivery;
  const parent = engine.trace === null ? null : traceContextOf(traceparent ?? replayedIn, tracestate);
  if (parent === null) return attempt(engine, claimed, recipients, onAnswered);
  const run = (within: Engine) => attempt(within, claimed, recipients, onAnswered);
  return inSpan(engine, spanOf(claimed, parent), run, endOfAttempt);
}

async function attempt(
  engine: Engine,
  claimed: ClaimedDelivery,
  recipients: Recipients,
  onAnswered: () => void,
): Promise<DeliveryAttemptResult | null> {
  const { delivery } = claimed;
  const leaseToken = delivery.leaseToken;
  if (leaseToken === null) throw new Error('An attempt needs a lease.');
  if (delivery.claims > CLAIMS_MAX) {
    await park(engine, delivery, leaseToken);
    return null;
  }
  const name = consumerOf(delivery.target);
  const consumer = name === null ? null : engine.consumers.find(name, delivery.eventType);
  if (name !== null && consumer === null) {
    await engine.store.recordDelivery({ leaseToken, next: leaveDelivery(delivery), attempt: null });
    return null;
  }
  // Looking up the recipient does not count towards the attempt, so the receiver always has the full timeout.
  const recipient = consumer === null ? await recipients(delivery) : null;
  if (recipient === 'paused') {
    await engine.store.recordDelivery({ leaseToken, next: holdDelivery(delivery), attempt: null });
    return null;
  }
  const result = await (consumer === null
    ? attemptWebhook(engine, claimed, recipient)
    : attemptConsumer(engine, claimed, consumer));
  onAnswered();
  const recorded = recordDeliveryAttempt(delivery, result, engine.clock.now(delivery), engine.policy);
  const answer = await engine.store.recordDelivery({ leaseToken, next: recorded.delivery, attempt: recorded.attempt });
  if (answer === 'recorded') notify(engine, (listener) => listener.attempted?.(recorded.delivery));
  const waitedMs = delivery.attemptsTotal === 0 ? waited(delivery, result) : null;
  noteAttempt(engine, recorded.delivery, { result, answer, waitedMs });
  const { dueAt } = recorded.delivery;
  if (dueAt !== null) engine.scheduler.wake([{ delayMs: Math.max(0, dueAt - engine.clock.now(delivery)) }]);
  return result;
}

/**
 * Continues the trace that the event was created in, whichever process makes the attempt, and links to the request that replayed it. An
 * event that was not traced belongs to the trace of its replay.
 */
function spanOf({ delivery, event }: ClaimedDelivery, parent: TraceContext): SpanStart {
  const consumer = consumerOf(delivery.target);
  const { traceparent, replayedIn } = delivery;
  const replayed = traceparent === undefined ? null : traceContextOf(replayedIn, null);
  const operation = consumer === null ? 'send' : 'process';
  return {
    name: `${operation} ${event.type}`,
    kind: consumer === null ? 'client' : 'consumer',
    parent,
    links: replayed === null ? [] : [replayed],
    attributes: {
      'messaging.system': 'gateramp',
      'messaging.operation.name': operation,
      'messaging.operation.type': operation,
      'messaging.destination.name': event.type,
      'messaging.message.id': event.id,
      'messaging.consumer.group.name': consumer ?? undefined,
      'http.request.method': consumer === null ? 'POST' : undefined,
      'http.request.resend_count': delivery.attemptsTotal === 0 ? undefined : delivery.attemptsTotal,
      'gateramp.delivery.id': delivery.id,
      'gateramp.delivery.trigger': delivery.trigger,
      'gateramp.session.id': delivery.sessionId ?? undefined,
      'gateramp.partner.id': delivery.partnerId,
      'gateramp.mode': delivery.mode,
    },
  };
}

/** Of the URL only the host is recorded, since the rest may contain a token. */
function endOfAttempt(result: DeliveryAttemptResult | null): SpanEnd {
  if (result === null) return { attributes: {}, errorType: null };
  const { url, responseStatus, error } = result;
  return {
    attributes: {
      'server.address': url === null ? undefined : new URL(url).hostname,
      'http.response.status_code': url === null ? undefined : (responseStatus ?? undefined),
    },
    errorType: error ?? (isAcknowledged(result) ? null : String(responseStatus)),
  };
}

/** How long the delivery was due before its attempt. */
function waited({ dueAt }: Delivery, { startedAt }: DeliveryAttemptResult): number {
  return Math.max(0, startedAt - (dueAt ?? startedAt));
}

async function attemptWebhook(
  engine: Engine,
  { delivery, event }: ClaimedDelivery,
  recipient: Recipient | null,
): Promise<DeliveryAttemptResult> {
  const begun = begin(engine, delivery);
  if (recipient === null) return ended(engine, begun, failed('endpoint_missing'));
  const { url } = recipient;
  const timeoutMs = engine.policy.attemptTimeout;
  const sent = engine.sender.send({
    partnerId: event.partnerId,
    url,
    headers: signedHeaders(engine, recipient, { delivery, event }),
    body: event.body,
    timeoutMs,
  });
  const waited = await engine.deadlines.within(sent, senderLimit(timeoutMs));
  if (waited.kind === 'late') return ended(engine, begun, { ...failed('timeout'), url });
  const { responseStatus, responseBody, error } = waited.value;
  // A host's own sender may return any text.
  return ended(engine, begun, { url, responseStatus, responseBody: storable(responseBody), error: storable(error) });
}

async function attemptConsumer(
  engine: Engine,
  claimed: ClaimedDelivery,
  consumer: Consumer,
): Promise<DeliveryAttemptResult> {
  const begun = begin(engine, claimed.delivery);
  return ended(engine, begun, await consume(engine, consumer, claimed));
}

/** Above the timeout, which the sender should keep itself; below the lease, after which another worker sends again. */
function senderLimit(timeoutMs: number): number {
  return timeoutMs + Math.min(SENDER_GRACE_MS, (DELIVERY_LEASE - timeoutMs) / 2);
}

const SENDER_GRACE_MS = 5 * SECOND;

type AttemptOutcome = Omit<DeliveryAttemptResult, 'startedAt' | 'durationMs'>;

interface Begun {
  readonly startedAt: Instant;
  readonly wall: Instant;
}

function begin({ clock }: Engine, scope: Scope): Begun {
  return { startedAt: clock.now(scope), wall: clock.wall() };
}

function ended(
  { clock, policy }: Engine,
  { startedAt, wall }: Begun,
  { url, responseStatus, responseBody, error }: AttemptOutcome,
): DeliveryAttemptResult {
  // The wall clock may be changed meanwhile; the duration stays between zero and the timeout.
  const durationMs = Math.min(Math.max(0, Math.round(clock.wall() - wall)), policy.attemptTimeout);
  return { url, responseStatus, responseBody, error, startedAt, durationMs };
}

/** Creates a new signature for each attempt: `t` is wall-clock time, the body never changes (`docs/spec-notes.md` C4). */
function signedHeaders(
  engine: Engine,
  recipient: Recipient,
  { delivery, event }: ClaimedDelivery,
): Record<string, string> {
  const t = epochSeconds(engine.clock.wall());
  const signatures = recipient.secrets.map((secret) => engine.crypto.hmacHex(secret, textToSign(t, event.body)));
  // A process without a tracer passes on what the event was created in.
  const context = engine.trace?.current ?? traceContextOf(delivery.traceparent, delivery.tracestate);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1.0',
    'gate-signature': signatureHeader(t, signatures),
    'x-svc-timestamp': String(t),
    'x-svc-event-id': event.id,
    'x-svc-event-type': event.type,
  };
  if (context !== null) headers['traceparent'] = context.traceparent;
  if (context?.tracestate !== undefined) headers['tracestate'] = context.tracestate;
  return headers;
}

async function consume(
  engine: Engine,
  consumer: Consumer,
  { delivery, event }: ClaimedDelivery,
): Promise<AttemptOutcome> {
  try {
    // The body was frozen as this envelope.
    const parsed = JSON.parse(event.body) as ConsumedEvent;
    const waited = await engine.deadlines.within(Promise.resolve(consumer(parsed)), engine.policy.attemptTimeout);
    return waited.kind === 'late' ? failed('timeout') : ACKNOWLEDGED;
  } catch (error) {
    engine.telemetry.failure(error, {
      ...ownerOf(delivery),
      consumer: consumerOf(delivery.target),
      event_id: event.id,
    });
    return failed('consumer_failed');
  }
}

const ACKNOWLEDGED: AttemptOutcome = { url: null, responseStatus: 200, responseBody: null, error: null };

function failed(error: DeliveryError): AttemptOutcome {
  return { url: null, responseStatus: null, responseBody: null, error };
}

async function park(engine: Engine, delivery: Delivery, leaseToken: string): Promise<void> {
  const next = parkDelivery(delivery, engine.clock.now(delivery));
  await engine.store.recordDelivery({ leaseToken, next, attempt: null });
  notify(engine, (listener) => listener.attempted?.(next));
  engine.telemetry.alarm('delivery_parked', {
    ...ownerOf(delivery),
    delivery_id: delivery.id,
    claims: delivery.claims,
  });
}

function noteAttempt(
  engine: Engine,
  delivery: Delivery,
  {
    result,
    answer,
    waitedMs,
  }: {
    readonly result: DeliveryAttemptResult;
    readonly answer: 'recorded' | 'lost';
    readonly waitedMs: number | null;
  },
): void {
  engine.telemetry.note('delivery_attempt', {
    // Listed one by one: spreading an object here takes 4 µs, a twentieth of a delivery.
    partner_id: delivery.partnerId,
    mode: delivery.mode,
    delivery_id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: answer === 'lost' ? 'lease_lost' : delivery.status,
    attempt: delivery.attemptCount,
    response_status: result.responseStatus,
    error: result.error,
    duration_ms: result.durationMs,
    waited_ms: waitedMs,
  });
  if (answer === 'recorded' && delivery.status === 'dead_lettered') {
    const { id, eventId } = delivery;
    engine.telemetry.alarm('delivery_dead_lettered', { ...ownerOf(delivery), delivery_id: id, event_id: eventId });
  }
}

function ownerOf({ partnerId, mode }: Delivery) {
  return { partner_id: partnerId, mode };
}
