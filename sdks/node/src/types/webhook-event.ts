import { type EventData } from '../generated/events.js';

interface Envelope {
  /** A UUID, the same on every retry and replay: what to dedupe by. */
  readonly id: string;
  /** Unix epoch seconds. */
  readonly created_at: number;
  /** Counts the events of one session from 1, without a gap; null for an event of none. */
  readonly sequence: number | null;
  readonly livemode: boolean;
}

/** An event of a type that this version knows. */
export type KnownEvent = {
  readonly [Type in keyof EventData]: Envelope & { readonly type: Type; readonly data: EventData[Type] };
}[keyof EventData];

/**
 * An event of a type that was added since. `never` gives way to the known data when `type` is compared with a known one; where it is
 * compared with none, give `data` the type that you know it to have: `const data: Record<string, unknown> = event.data`.
 */
export type UnknownEvent = Envelope & { readonly type: string; readonly data: never };

/** An event: compare its `type`, and `data` is of that type. Leave types that you do not know alone. */
export type WebhookEvent = KnownEvent | UnknownEvent;
