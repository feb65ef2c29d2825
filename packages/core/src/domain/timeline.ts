import type { ErrorCode } from './error-code.js';
import { type Instant, isoTime } from './instant.js';
import type { Intent, PaymentMethod } from './intent/intent.js';
import { type JsonMembers, jsonObject, knownAs, type Opaque, toJsonText } from './json.js';
import type { Scope } from './mode.js';
import type { Flow } from './session/terms.js';
import type { Delivery, DeliveryAttempt } from './webhook/delivery.js';
import type { EventType } from './webhook/event-types.js';
import type { GateEvent } from './webhook/event.js';

/** A browser's request that was refused because of its terms. Only the terms are stored: no card, address, account or name. */
export interface RefusedAttempt extends Scope {
  readonly id: string;
  readonly version: number;
  readonly sessionId: string;
  readonly requestId: string | null;
  readonly code: ErrorCode;
  /** Under its name in stored rows. */
  readonly asked: RefusedTerms;
  readonly createdAt: Instant;
}

/** The stored terms of a refused request. */
export interface RefusedTerms {
  readonly flow: Flow;
  readonly amount: string;
  readonly currency: string;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly paymentMethod: PaymentMethod | null;
}

const OF_TERMS: readonly ErrorCode[] = [
  'amount_mismatch',
  'terms_mismatch',
  'wallet_address_invalid',
  'corridor_not_supported',
  'asset_network_mismatch',
  'amount_below_minimum',
  'amount_above_maximum',
  'swap_not_enabled',
  'quote_not_found',
  'quote_expired',
  'validation_failed',
];

/** Whether a refusal concerns the requested terms, rather than the caller, the time or the rate. */
export function isOfTerms(code: ErrorCode): boolean {
  return OF_TERMS.includes(code);
}

/** Kinds of timeline entries. */
export const TIMELINE_KINDS = ['transition', 'intent', 'refusal', 'event', 'delivery'] as const;

/** One of `TIMELINE_KINDS`. */
type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** One thing that happened to a session. */
export interface TimelineEntry {
  readonly at: Instant;
  readonly kind: TimelineKind;
  readonly requestId: string | null;
  readonly summary: string;
  readonly data: JsonMembers;
}

/** The stored history of a session. */
interface SessionPast {
  /** Ordered by sequence. */
  readonly events: readonly GateEvent[];
  readonly intents: readonly Intent[];
  readonly deliveries: readonly { readonly delivery: Delivery; readonly attempts: readonly DeliveryAttempt[] }[];
  readonly refusals: readonly RefusedAttempt[];
}

/** Entries, oldest first; causes precede their effects at the same instant. */
export function timelineOf({ events, intents, deliveries, refusals }: SessionPast): readonly TimelineEntry[] {
  const [opening, ...later] = events;
  const inOrder = [
    ...(opening === undefined ? [] : ofEvent(opening)),
    ...byId(refusals).map(ofRefusal),
    ...byId(intents).map(startEntry),
    ...later.flatMap(ofEvent),
    ...byId(intents).flatMap(stateEntries),
    ...byId(deliveries.map((record) => ({ ...record, id: record.delivery.id }))).flatMap(ofDelivery),
  ];
  // The sort is stable, so entries of one instant keep the order above.
  return inOrder.toSorted((one, other) => one.at - other.at);
}

const OPENING: EventType = 'gate_session.created';
const OUTCOMES: Readonly<Record<string, string>> = {
  'gate_session.completed': 'completed',
  'gate_session.cancelled': 'cancelled',
  'gate_session.expired': 'expired',
} satisfies Partial<Record<EventType, string>>;

function ofEvent(event: GateEvent): readonly TimelineEntry[] {
  const { id, type, sequence, createdAt: at } = event;
  const isOpening = type === OPENING;
  const to = isOpening ? 'open' : OUTCOMES[type];
  const itself: TimelineEntry = entry(at, 'event', type, { event_id: id, type, sequence });
  if (to === undefined) return [itself];
  const from = isOpening ? null : 'open';
  return [entry(at, 'transition', `The session is ${to}`, { from, to }), itself];
}

function startEntry(intent: Intent): TimelineEntry {
  const { attempt, flow, amount, currency, paymentMethod } = intent;
  return entry(intent.createdAt, 'intent', `Attempt ${attempt} started`, {
    intent_id: intent.id,
    attempt,
    status: 'created',
    flow,
    amount,
    currency,
    payment_method: paymentMethod,
    tx_refid: intent.txRefid,
    failure_code: null,
  });
}

/** The current state of the attempt, unless it has only just started. */
function stateEntries(intent: Intent): readonly TimelineEntry[] {
  if (intent.status === 'created') return [];
  const { data } = startEntry(intent);
  const summary = `Attempt ${intent.attempt} is ${intent.status}`;
  const state = { ...data, status: intent.status, failure_code: intent.failure?.code ?? null };
  return [entry(intent.updatedAt, 'intent', summary, state)];
}

function ofRefusal({ code, asked, requestId, createdAt }: RefusedAttempt): TimelineEntry {
  const { flow, amount, currency, targetToken, targetNetwork, paymentMethod } = asked;
  const data = {
    code,
    flow,
    amount,
    currency,
    target_token: targetToken,
    target_network: targetNetwork,
    payment_method: paymentMethod,
  };
  return { ...entry(createdAt, 'refusal', `Refused: ${code}`, data), requestId };
}

/** One entry per attempt, or one pending entry if there was none yet. */
function ofDelivery({ delivery, attempts }: SessionPast['deliveries'][number]): readonly TimelineEntry[] {
  const { id, eventId, eventType } = delivery;
  const data = { delivery_id: id, event_id: eventId, event_type: eventType };
  const none = { attempt: null, trigger: null, response_status: null, error: null };
  if (attempts.length === 0)
    return [entry(delivery.createdAt, 'delivery', `${eventType} is pending`, { ...data, ...none })];
  return attempts.map(({ number, trigger, startedAt, responseStatus, error }) =>
    entry(startedAt, 'delivery', `${eventType}: ${error ?? `answered ${String(responseStatus)}`}`, {
      ...data,
      attempt: number,
      trigger,
      response_status: responseStatus,
      error,
    }),
  );
}

function entry(at: Instant, kind: TimelineKind, summary: string, data: JsonMembers): TimelineEntry {
  return { at, kind, requestId: null, summary, data };
}

/** Ids are ordered by creation, even within one millisecond. */
function byId<Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** A timeline entry as a wire resource. */
export function timelineEntryResource(found: TimelineEntry) {
  const { at, kind, requestId, summary, data } = found;
  return jsonObject(
    { object: 'timeline_entry', at: isoTime(at), kind, request_id: requestId, summary },
    { data: knownAs<Opaque>(toJsonText(data)) },
  );
}
