import { epochSeconds, type Instant } from '../instant.js';
import { jsonObject, type JsonText, knownAs, type Opaque, type Rendered, toJsonText, withMembers } from '../json.js';
import type { Mode, Scope } from '../mode.js';

/** An event as stored. `body` is the exact text of every attempt; nothing re-serialises it. */
export interface GateEvent {
  /** UUID, stable across retries: the receiver's dedupe key. */
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

/** What an event is made of; its body is frozen from it. */
export interface NewEvent {
  readonly id: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly sessionId: string | null;
  readonly sequence: number | null;
  readonly type: string;
  readonly data: JsonText;
}

/** Freezes the envelope (spec: Events; `sequence` and `livemode` are additions). */
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

/** An event as it is read back: the envelope as it is delivered, and what it is. */
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

/** The very bytes of every attempt, with `object` behind them. */
export function eventResource({ body }: Pick<GateEvent, 'body'>): JsonText<GateEventEnvelope> {
  // Frozen by `freezeEvent`, and kept byte for byte.
  return withMembers(knownAs<Omit<GateEventEnvelope, 'object'>>(body as JsonText), { object: 'event' });
}

/** The data of `webhook.test`. `livemode` is false on both hosts: nothing has happened (spec: Webhook events). */
export type WebhookTest = Rendered<typeof webhookTest>;

/** The data of `webhook.test`. */
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
