import { type EventData } from '../generated/events.js';

interface Envelope {
  /** A UUID, the same on every retry and replay: deduplicate by it. */
  readonly id: string;
  /** Unix epoch seconds. */
  readonly created_at: number;
  /** Counts the events of one session from 1, without gaps; null for an event without a session. */
  readonly sequence: number | null;
  readonly livemode: boolean;
}

/** An event of a type that this version knows. */
export type KnownEvent = {
  readonly [Type in keyof EventData]: Envelope & { readonly type: Type; readonly data: EventData[Type] };
}[keyof EventData];

/**
 * An event of a type that was added later. `never` disappears when `type` is compared with a known type; otherwise assign `data` to the
 * type that you expect: `const data: Record<string, unknown> = event.data`.
 */
export type UnknownEvent = Envelope & { readonly type: string; readonly data: never };

/** An event: comparing its `type` narrows `data`. Ignore types that you do not know. */
export type WebhookEvent = KnownEvent | UnknownEvent;
