import { epochSeconds, type Instant } from '../instant.js';
import { jsonObject, type JsonText, knownAs, type Opaque, type Rendered, toJsonText, withMembers } from '../json.js';
import type { Mode, Scope } from '../mode.js';

/** An event as stored. `body` is the exact text sent by every attempt; it is never serialized again. */
export interface GateEvent {
  /** UUID, the same in all attempts; receivers deduplicate by it. */
  readonly id: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly sessionId: string | null;
  /** Gap-free per session from 1; null for events without a session. */
  readonly sequence: number | null;
  readonly type: string;
  readonly createdAt: Instant;
  readonly body: string;
}

/** The fields of a new event. */
export interface NewEvent {
  readonly id: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly sessionId: string | null;
  readonly sequence: number | null;
  readonly type: string;
  readonly data: JsonText;
}

/** Renders and freezes the envelope (spec: Events; `sequence` and `livemode` are additions). */
export function freezeEvent(event: NewEvent, now: Instant): GateEvent {
  const body = jsonObject(
    {
      id: event.id,
      type: event.type,
      created_at: epochSeconds(now),
      sequence: event.sequence,
      livemode: event.mode === 'live',
    },
    { data: event.data },
  );
  return {
    id: event.id,
    partnerId: event.partnerId,
    mode: event.mode,
    sessionId: event.sessionId,
    sequence: event.sequence,
    type: event.type,
    createdAt: now,
    body,
  };
}

/** An event as read back: the delivered envelope plus `object`. */
type GateEventEnvelope = {
  readonly id: string;
  readonly type: string;
  /** Seconds since the epoch. */
  readonly created_at: number;
  readonly sequence: number | null;
  readonly livemode: boolean;
  readonly data: Opaque;
  readonly object: 'event';
};

/** The exact delivered bytes, with `object` appended. */
export function eventResource({ body }: Pick<GateEvent, 'body'>): JsonText<GateEventEnvelope> {
  // Rendered by `freezeEvent` and stored byte for byte.
  return withMembers(knownAs<Omit<GateEventEnvelope, 'object'>>(body as JsonText), { object: 'event' });
}

/** Data of `webhook.test`. `livemode` is false on both hosts, because nothing happened (spec: Webhook events). */
export type WebhookTest = Rendered<typeof webhookTest>;

/** Renders the data of `webhook.test`. */
export function webhookTest({ partnerId, mode }: Scope) {
  const message: string = 'This is a test. If its signature verifies, your endpoint receives webhooks.';
  return toJsonText({
    object: 'webhook_test',
    livemode: false,
    partner_id: partnerId,
    mode,
    message,
  });
}
