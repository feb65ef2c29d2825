/** What is remembered of an event. */
export interface ReceivedEvent {
  readonly id: string;
  /** The session that the event is about, and its place among that session's events; both null where it is about none. */
  readonly sessionId: string | null;
  readonly sequence: number | null;
}

/** One attempt to handle an event: who makes it, and for how long no one else may. */
export interface Lease {
  /** Unique to this attempt. */
  readonly token: string;
  readonly seconds: number;
}

/** The answer to a claim. `lastSequence` is the greatest that was completed of the event's session, null where there is none. */
export type Claim =
  | { readonly status: 'claimed'; readonly lastSequence: number | null }
  | { readonly status: 'handled' }
  | { readonly status: 'in_progress' };

/**
 * What was handled and what is being handled, shared by all processes that receive. Each method is atomic.
 *
 * - `claim` succeeds for one process at a time. A claim whose lease has ended may be taken over, so an event whose process
 *   crashed is not lost. Measure leases by the store's own clock.
 * - `complete` marks the event as handled, for good, if this token still holds the claim, and answers whether it did. Keep the
 *   mark for a day at least: retries and replays come for that long.
 * - `release` gives the claim up after a failure, so that the next delivery can be handled at once. It changes nothing for another token.
 * - Each may throw: the delivery is then answered 500, and comes again.
 *
 * A handler that outlives its lease may run next to another one. If an effect must happen exactly once, use `TransactionalEvents`.
 */
export interface ReceivedEvents {
  claim(event: ReceivedEvent, lease: Lease): Promise<Claim> | Claim;
  complete(event: ReceivedEvent, token: string): Promise<boolean> | boolean;
  release(event: ReceivedEvent, token: string): Promise<void> | void;
}

/** The answer to `record`: whether the event is recorded for the first time, and the greatest sequence recorded of its session before. */
export interface Recorded {
  readonly isNew: boolean;
  readonly lastSequence: number | null;
}

/**
 * The record of handled events in the handler's own database: the record and what the handler writes are committed together
 * or not at all, so each event takes effect exactly once, whichever process crashes and whenever.
 *
 * - `transaction` runs `work` in a transaction: commits when it resolves, rolls back when it rejects.
 * - `record` inserts the event into a table with a unique id. It must wait for another transaction that has inserted it and has not ended,
 *   as an insert into a unique index of a database does.
 */
export interface TransactionalEvents<Transaction> {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  record(event: ReceivedEvent, transaction: Transaction): Promise<Recorded>;
}

const KEPT_MAX = 10_000;

/** For one process, until it ends: the newest ten thousand events, and as many sessions. */
export function memoryEvents(keptMax: number = KEPT_MAX, now: () => number = Date.now): ReceivedEvents {
  const handled = new Map<string, true>();
  const sequences = new Map<string, number>();
  const claims = new Map<string, { readonly token: string; readonly endsAt: number }>();
  return {
    claim: ({ id, sessionId }, { token, seconds }) => {
      if (handled.has(id)) return { status: 'handled' };
      const held = claims.get(id);
      if (held !== undefined && now() < held.endsAt) return { status: 'in_progress' };
      claims.set(id, { token, endsAt: now() + seconds * 1000 });
      return { status: 'claimed', lastSequence: sessionId === null ? null : (sequences.get(sessionId) ?? null) };
    },
    complete: ({ id, sessionId, sequence }, token) => {
      if (claims.get(id)?.token !== token) return false;
      claims.delete(id);
      keep(handled, id, true, keptMax);
      if (sessionId !== null && sequence !== null)
        keep(sequences, sessionId, Math.max(sequence, sequences.get(sessionId) ?? 0), keptMax);
      return true;
    },
    release: ({ id }, token) => {
      if (claims.get(id)?.token === token) claims.delete(id);
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
