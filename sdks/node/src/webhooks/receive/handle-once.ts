import { type WebhookEvent } from '../../types/webhook-event.js';
import { within } from './within.js';
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

/** The result of a delivery. `in_progress`: the event is being handled. */
export type Handled = 'handled' | 'duplicate' | 'in_progress';

/** How a delivery is handled. */
interface Handling<Transaction> {
  readonly leaseSeconds: number;
  /** Called before `handle`; throws if the delivery was already answered, since then another one may be handled. */
  readonly begin: () => void;
  readonly handle: (about: Omit<EventContext<Transaction>, keyof EventTrace>) => unknown;
}

/** Thrown to roll back the transaction of a handler that exceeds its lease. */
export class LeaseEndedError extends Error {
  constructor({ id }: ReceivedEvent, leaseSeconds: number) {
    super(
      `Handling ${id} took longer than its lease of ${leaseSeconds} s, and its transaction was rolled back. Set leaseSeconds above the longest run of your handler.`,
    );
  }
}

/** Runs `handle` and records the event in one transaction. */
export async function handleInTransaction<Transaction>(
  event: ReceivedEvent,
  store: TransactionalEvents<Transaction>,
  { leaseSeconds, begin, handle }: Handling<Transaction>,
): Promise<Handled> {
  return store.transaction(async (transaction) => {
    const { isNew, lastSequence } = await store.record(event, transaction);
    if (!isNew) return 'duplicate';
    begin();
    const work = async (): Promise<unknown> => handle({ isStale: isStale(event, lastSequence), transaction });
    await within(leaseSeconds, work(), () => {
      throw new LeaseEndedError(event, leaseSeconds);
    });
    return 'handled';
  });
}

/** Runs `handle` under a claim that no other process holds at the same time. */
export async function handleUnderClaim(
  event: ReceivedEvent,
  store: ReceivedEvents,
  { leaseSeconds, begin, handle }: Handling<undefined>,
): Promise<Handled> {
  const token = crypto.randomUUID();
  const claim = await store.claim(event, { token, seconds: leaseSeconds });
  if (claim.status !== 'claimed') return claim.status === 'handled' ? 'duplicate' : 'in_progress';
  try {
    begin();
    await handle({ isStale: isStale(event, claim.lastSequence), transaction: undefined });
  } catch (error) {
    await within(RELEASE_SECONDS, giveUp(event, store, token), () => undefined);
    throw error;
  }
  if (await store.complete(event, token)) return 'handled';
  throw new Error(
    `Handling ${event.id} took longer than its lease of ${leaseSeconds} s, and another delivery has claimed it. Set leaseSeconds above the longest run of your handler.`,
  );
}

/** The error of a handler is reported even if the store does not answer. */
const RELEASE_SECONDS = 1;

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
