/** What is remembered of an event. */
export interface ReceivedEvent {
  readonly id: string;
  /** The session that the event is about, and its place among that session's events; both null where it is about none. */
  readonly sessionId: string | null;
  readonly sequence: number | null;
}

/**
 * What was handled, so that it is handled once. Put it into your own database, in the transaction of the handler if you can.
 *
 * - After `save` has answered, `find` says `isHandled` of that id. Keep it for a day at least: retries and replays come for that long.
 * - `lastSequence` is the greatest that was saved of the session before, null where there is none.
 * - Either may throw: the delivery is then answered 500, and comes again.
 */
export interface ReceivedEvents {
  find(event: ReceivedEvent): Promise<Found> | Found;
  save(event: ReceivedEvent): Promise<void> | void;
}

/** What a store knows of an event that has come: whether it was handled, and how far its session had come. */
export interface Found {
  readonly isHandled: boolean;
  readonly lastSequence: number | null;
}

const KEPT_MAX = 10_000;

/** For one process, until it ends: the newest ten thousand events, and as many sessions. */
export function memoryEvents(keptMax: number = KEPT_MAX): ReceivedEvents {
  const handled = new Map<string, true>();
  const sequences = new Map<string, number>();
  return {
    find: ({ id, sessionId }) => ({
      isHandled: handled.has(id),
      lastSequence: sessionId === null ? null : (sequences.get(sessionId) ?? null),
    }),
    save: ({ id, sessionId, sequence }) => {
      keep(handled, id, true, keptMax);
      if (sessionId === null || sequence === null) return;
      keep(sequences, sessionId, Math.max(sequence, sequences.get(sessionId) ?? 0), keptMax);
    },
  };
}

/** The newest last, the oldest forgotten. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, keptMax: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= keptMax) return;
    map.delete(oldest);
  }
}
