/** The identity of a received event. */
export interface ReceivedEvent {
  readonly id: string;
  /** The session of the event, and its position among that session's events; both null for an event without a session. */
  readonly sessionId: string | null;
  readonly sequence: number | null;
}

/** The exclusive right to handle an event for a limited time. */
export interface Lease {
  /** Unique to this attempt. */
  readonly token: string;
  readonly seconds: number;
}

/** The result of a claim. `lastSequence` is the greatest completed sequence of the event's session, null if there is none. */
export type Claim =
  | { readonly status: 'claimed'; readonly lastSequence: number | null }
  | { readonly status: 'handled' }
  | { readonly status: 'in_progress' };

/**
 * Handled events and events in progress, shared by all receiving processes. Each method is atomic.
 *
 * - `claim` succeeds for one process at a time. A claim with an expired lease may be taken over, so that the event of a crashed process is
 *   not lost. Measure leases by the store's own clock.
 * - `complete` permanently marks the event as handled if this token still holds the claim, and returns whether it did. Keep the mark for at
 *   least a day: retries and replays arrive for that long.
 * - `release` releases the claim after a failure, so that the next delivery can be handled at once. It has no effect with another token.
 * - Each may throw: the response is then 500, and the event is delivered again.
 *
 * A handler that exceeds its lease may run concurrently with another one. If an effect must happen exactly once, use `TransactionalEvents`.
 */
export interface ReceivedEvents {
  claim(event: ReceivedEvent, lease: Lease): Promise<Claim> | Claim;
  complete(event: ReceivedEvent, token: string): Promise<boolean> | boolean;
  release(event: ReceivedEvent, token: string): Promise<void> | void;
}

/** The result of `record`: whether the event was new, and the greatest sequence recorded for its session before. */
export interface Recorded {
  readonly isNew: boolean;
  readonly lastSequence: number | null;
}

/**
 * The record of handled events in the handler's own database: the record and the handler's writes are committed together or not at all, so
 * each event takes effect exactly once, even if a process crashes.
 *
 * - `transaction` runs `work` in a transaction that commits when `work` resolves and rolls back when it rejects. After a rollback the
 *   handler may still be running: make the transaction unusable, for example by closing the connection (`client.release(true)` of `pg`).
 * - `record` inserts the event into a table with a unique id. It must wait for a concurrent transaction that has inserted the same id, as
 *   an insert into a unique index of a database does.
 */
export interface TransactionalEvents<Transaction> {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  record(event: ReceivedEvent, transaction: Transaction): Promise<Recorded>;
}

const KEPT_MAX = 10_000;

/** Keeps the newest ten thousand events, and as many sessions and claims, in memory, for a single process. */
export function memoryEvents(keptMax: number = KEPT_MAX, now: () => number = Date.now): ReceivedEvents {
  const handled = new Map<string, true>();
  const sequences = new Map<string, number>();
  const claims = new Map<string, { readonly token: string; readonly endsAt: number }>();
  /** At the limit, forgets the oldest claim that has ended. */
  const hasRoom = (): boolean => {
    if (claims.size < keptMax) return true;
    for (const [id, { endsAt }] of claims) if (endsAt <= now()) return claims.delete(id);
    return false;
  };
  return {
    claim: ({ id, sessionId }, { token, seconds }) => {
      if (handled.has(id)) return { status: 'handled' };
      const held = claims.get(id);
      if (held !== undefined && now() < held.endsAt) return { status: 'in_progress' };
      claims.delete(id);
      if (!hasRoom()) return { status: 'in_progress' };
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

/** Moves the key to the end and removes the oldest entries above the limit. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, keptMax: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= keptMax) return;
    map.delete(oldest);
  }
}
