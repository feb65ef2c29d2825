import { type WebhookEvent } from '../../types/webhook-event.js';
import { type ReceivedEvent, type ReceivedEvents, type TransactionalEvents } from './received-events.js';

/** The context of an event for its handler. */
export interface EventContext<Transaction = undefined> extends EventTrace {
  /** Whether a later event of the same session was already handled: do not overwrite its effects. */
  readonly isStale: boolean;
  /** The transaction to write in, if the store is a `TransactionalEvents`; undefined otherwise. */
  readonly transaction: Transaction;
}

/** Headers of W3C Trace Context. They are not covered by the signature: use them for traces only. */
export interface EventTrace {
  /**
   * The `traceparent` of the delivery attempt, which belongs to the trace of the request that caused the event; null if there is none.
   */
  readonly traceparent: string | null;
  /** The `tracestate` that goes with it: what vendors add to the trace; null if there is none. */
  readonly tracestate: string | null;
}

/** The result of a delivery. `in_progress`: another process is handling the event. */
export type Handled = 'handled' | 'duplicate' | 'in_progress';

type Handle<Transaction> = (about: Omit<EventContext<Transaction>, keyof EventTrace>) => unknown;

/** Runs `handle` and records the event in one transaction. */
export function handleInTransaction<Transaction>(
  event: ReceivedEvent,
  store: TransactionalEvents<Transaction>,
  handle: Handle<Transaction>,
): Promise<Handled> {
  return store.transaction(async (transaction) => {
    const { isNew, lastSequence } = await store.record(event, transaction);
    if (!isNew) return 'duplicate';
    await handle({ isStale: isStale(event, lastSequence), transaction });
    return 'handled';
  });
}

/** Runs `handle` under a claim that no other process holds at the same time. */
export async function handleUnderClaim(
  event: ReceivedEvent,
  store: ReceivedEvents,
  { leaseSeconds, handle }: { readonly leaseSeconds: number; readonly handle: Handle<undefined> },
): Promise<Handled> {
  const token = crypto.randomUUID();
  const claim = await store.claim(event, { token, seconds: leaseSeconds });
  if (claim.status !== 'claimed') return claim.status === 'handled' ? 'duplicate' : 'in_progress';
  try {
    await handle({ isStale: isStale(event, claim.lastSequence), transaction: undefined });
  } catch (error) {
    await giveUp(event, store, token);
    throw error;
  }
  if (await store.complete(event, token)) return 'handled';
  throw new Error(
    `Handling ${event.id} took longer than its lease of ${leaseSeconds} s, and another process has claimed it. Set leaseSeconds above the longest run of your handler.`,
  );
}

/** The handler's error is the one to report; a claim that cannot be released expires with its lease. */
async function giveUp(event: ReceivedEvent, store: ReceivedEvents, token: string): Promise<void> {
  try {
    await store.release(event, token);
  } catch {
    return;
  }
}

const isStale = ({ sequence }: ReceivedEvent, last: number | null): boolean =>
  sequence !== null && last !== null && sequence < last;

/** Inspects the members rather than the type: events of new types may also belong to a session. */
export function receivedEventOf({ id, sequence, data }: WebhookEvent): ReceivedEvent {
  const about: { readonly object?: unknown; readonly id?: unknown; readonly session_id?: unknown } = data ?? {};
  const sessionId = about.object === 'gate_session' ? about.id : about.session_id;
  return { id, sequence: sequence ?? null, sessionId: typeof sessionId === 'string' ? sessionId : null };
}
