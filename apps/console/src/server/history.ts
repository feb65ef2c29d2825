import type { GateRefusal, GateTransaction, Scope } from '@gateramp/core';
import { type EventType, isRecord } from '@gateramp/core/domain';
import { err, ok, type Result } from 'neverthrow';
import * as z from 'zod';
import type { Gate } from './gate.js';
import { TIME } from './schemas.js';

/** What a session, its payments and its deliveries were at each of its events. */
export const HISTORY = z
  .object({
    object: z.literal('history'),
    session_id: z.string(),
    complete: z
      .boolean()
      .describe(
        'Whether everything was read. False if a session has more events, payments or deliveries than are read.',
      ),
    steps: z.array(
      z.object({
        sequence: z.int(),
        at: TIME,
        event: z.object({ id: z.string(), type: z.string() }),
        session: z.record(z.string(), z.unknown()).describe('The session as the event froze it: exact.'),
        transaction: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe('The last transaction that an event froze up to this step, or that has not changed since: exact.'),
        transactions: z
          .array(z.object({ refid: z.string(), object: z.record(z.string(), z.unknown()).nullable() }))
          .describe(
            'Every transaction that existed at this step, oldest first, as an event last froze it; exact if it has not changed since. Null: its state at this step was not kept.',
          ),
        not_kept: z
          .array(z.object({ type: z.enum(['refund', 'dispute']), id: z.string(), refid: z.string() }))
          .describe(
            'Refunds and disputes that existed at this step, but are in no state of their transaction that was kept.',
          ),
        intents: z
          .array(
            z.object({
              id: z.string(),
              attempt: z.int().nullable(),
              status: z.string(),
              tx_refid: z.string().nullable(),
            }),
          )
          .describe('Reconstructed from events: steps between two events are not kept.'),
        deliveries: z
          .array(z.object({ id: z.string(), event_id: z.string(), status: z.string(), attempts: z.int() }))
          .describe('Reconstructed from the attempts made up to this instant.'),
      }),
    ),
  })
  .meta({
    id: 'History',
    description: 'The time machine: a session and what belongs to it, event by event, oldest first.',
  });

type Json = Readonly<Record<string, unknown>>;
type Calls = Pick<Gate, 'sessions' | 'transactions' | 'events' | 'webhooks'>;
type Step = z.input<typeof HISTORY>['steps'][number];
type IntentState = Step['intents'][number];
type IntentEntry = { readonly at: string; readonly data: Json };

/** Pages of a list of one session. Resent events may make more deliveries; then the history is not complete. */
const PAGES_MAX = 100;

/** Derived from what the partner may read anyway, so it shows nothing that no other answer shows. */
export async function historyOf(
  calls: Calls,
  scope: Scope,
  sessionId: string,
): Promise<Result<z.input<typeof HISTORY>, GateRefusal>> {
  // Also expires an overdue session first, as every read does.
  const timeline = await calls.sessions.timeline(scope, sessionId);
  if (timeline.isErr()) return timeline.map(() => empty(sessionId));
  const of = { session_id: sessionId, limit: 100 } as const;
  const [session, events, transactions, deliveries] = await Promise.all([
    calls.sessions.retrieve(scope, sessionId),
    eventsOf(calls, scope, sessionId),
    all((page) => calls.transactions.list(scope, { ...of, ...page })),
    all((page) => calls.webhooks.deliveries.list(scope, { ...of, ...page })),
  ]);
  if (session.isErr()) return session.map(() => empty(sessionId));
  if (events.isErr()) return events.map(() => empty(sessionId));
  if (transactions.isErr()) return transactions.map(() => empty(sessionId));
  if (deliveries.isErr()) return deliveries.map(() => empty(sessionId));
  const entries = timeline.value.data;
  const at = new Map(
    entries.filter(({ kind }) => kind === 'event').map((one) => [String(one.data['event_id']), one.at]),
  );
  const inOrder = events.value.items
    .filter(({ sequence }) => sequence !== null)
    .toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0));
  const states = entries.filter(({ kind }) => kind === 'intent');
  const past = new Past(Object.keys(session.value), transactions.value.items, states);
  const sequenceOf = new Map(inOrder.map(({ id, sequence }) => [id, sequence ?? 0]));
  const instantOf = ({ id, created_at: seconds }: (typeof inOrder)[number]): string =>
    at.get(id) ?? new Date(seconds * 1_000).toISOString();
  const steps = inOrder.map((event, index): Step => {
    const { id, type, data } = event;
    const [instant, sequence] = [instantOf(event), event.sequence ?? 0];
    const next = inOrder[index + 1];
    // Of several events at one instant, the last one has what is known of that instant.
    const known = next !== undefined && instantOf(next) === instant ? before(instant) : instant;
    past.take(type, data, known);
    return {
      sequence,
      at: instant,
      event: { id, type },
      session: past.session,
      transaction: past.transactionAt(known),
      transactions: past.transactionsAt(known),
      not_kept: past.notKeptAt(known),
      intents: [...past.intentsAt(known)],
      deliveries: deliveries.value.items
        // A resent event has deliveries that are younger than its step.
        .filter((one) => (sequenceOf.get(one.event_id) ?? Infinity) <= sequence && one.created_at <= instant)
        .toReversed()
        .map((one) => deliveryAt(one, known)),
    };
  });
  const complete = [events, transactions, deliveries].every(({ value }) => value.isComplete);
  return ok({ object: 'history', session_id: sessionId, complete, steps });
}

/** The millisecond before a time of the wire. */
function before(at: string): string {
  return new Date(Date.parse(at) - 1).toISOString();
}

function empty(sessionId: string): z.input<typeof HISTORY> {
  return { object: 'history', session_id: sessionId, complete: true, steps: [] };
}

/** Folds events into the state after each. Times of the wire have one form, so they are compared as text. */
class Past {
  session: Json = {};
  private transaction: Json | null = null;
  /** As events last froze them, by refid. */
  private readonly frozen = new Map<string, Json>();
  private readonly intents = new Map<string, IntentState>();

  constructor(
    private readonly sessionMembers: readonly string[],
    private readonly transactions: readonly GateTransaction[],
    /** Of the timeline: how each attempt began, and its current state. */
    private readonly states: readonly IntentEntry[],
  ) {}

  take(type: string, data: Json, at: string): void {
    // Some events add members to the session.
    if (data['object'] === 'gate_session')
      this.session = Object.fromEntries(this.sessionMembers.map((name) => [name, data[name] ?? null]));
    if (data['object'] === 'transaction') {
      this.transaction = data;
      this.frozen.set(String(data['refid']), data);
    }
    for (const { intent_id: id, refid, created_at: createdAt } of this.transactions.toReversed())
      if (createdAt <= at) this.intent(id, { tx_refid: refid });
    const id = data['intent_id'];
    if (typeof id === 'string') this.intent(id, stateOf(type, data));
    const paid = this.transactions.find(({ refid }) => refid === data['tx_refid']);
    if (paid !== undefined) this.intent(paid.intent_id, { status: 'succeeded' });
  }

  /** One that has not changed since is the same now as it was. */
  transactionAt(at: string): Json | null {
    const latest = this.transactions.find(({ created_at: createdAt }) => createdAt <= at);
    return latest !== undefined && latest.updated_at <= at ? latest : this.transaction;
  }

  transactionsAt(at: string): { readonly refid: string; readonly object: Json | null }[] {
    return this.existingAt(at).map((one) => ({ refid: one.refid, object: this.keptOf(one, at) }));
  }

  notKeptAt(at: string): Step['not_kept'] {
    return this.existingAt(at).flatMap((one) => {
      const kept = this.keptOf(one, at);
      const missing = (type: 'refund' | 'dispute', parts: readonly Part[], known: unknown) =>
        parts
          .filter(({ id, created_at: createdAt }) => createdAt <= at && !idsIn(known).includes(id))
          .map(({ id }) => ({ type, id, refid: one.refid }));
      return [
        ...missing('refund', one.refunds, kept?.['refunds']),
        ...missing('dispute', one.disputes, kept?.['disputes']),
      ];
    });
  }

  /** Oldest first. */
  private existingAt(at: string): readonly GateTransaction[] {
    return this.transactions.filter(({ created_at: createdAt }) => createdAt <= at).toReversed();
  }

  private keptOf(transaction: GateTransaction, at: string): Json | null {
    return transaction.updated_at <= at ? transaction : (this.frozen.get(transaction.refid) ?? null);
  }

  /** The current state of an attempt, from when on it has been that; until then what events tell. */
  intentsAt(at: string): readonly IntentState[] {
    return [...this.intents.values()].map((intent) => {
      const current = this.states.findLast((one) => one.data['intent_id'] === intent.id && one.at <= at);
      const began = this.states.filter((one) => one.data['intent_id'] === intent.id).length;
      if (current === undefined) return intent;
      const attempt = Number(current.data['attempt']);
      const isCurrent = current === this.states.findLast((one) => one.data['intent_id'] === intent.id) && began > 1;
      return isCurrent ? { ...intent, attempt, status: String(current.data['status']) } : { ...intent, attempt };
    });
  }

  private intent(id: string, change: Partial<IntentState>): void {
    const known = this.intents.get(id) ?? { id, attempt: null, status: 'created', tx_refid: null };
    this.intents.set(id, { ...known, ...change });
  }
}

/** A refund or a dispute. */
interface Part {
  readonly id: string;
  readonly created_at: string;
}

function idsIn(parts: unknown): readonly unknown[] {
  return Array.isArray(parts) ? parts.map((one: unknown) => (isRecord(one) ? one['id'] : null)) : [];
}

const STATES: Readonly<Record<string, string>> = {
  'gate_session.processing': 'processing',
  'gate_session.failed': 'failed',
  'kyc.required': 'requires_action',
} satisfies Partial<Record<EventType, string>>;

/** How an attempt is while its transaction is in a state. */
const OF_TRANSACTION: Readonly<Record<string, Partial<IntentState>>> = {
  processing: { status: 'processing' },
  completed: { status: 'succeeded' },
  failed: { status: 'failed' },
};

function stateOf(type: string, data: Json): Partial<IntentState> {
  const attempt = typeof data['attempt'] === 'number' ? { attempt: data['attempt'] } : {};
  if (data['object'] === 'transaction') return { ...attempt, ...OF_TRANSACTION[String(data['status'])] };
  const status = STATES[type];
  return status === undefined ? attempt : { ...attempt, status };
}

type DeliveryJson =
  Awaited<ReturnType<Calls['webhooks']['deliveries']['list']>> extends Result<infer Body, GateRefusal>
    ? Body extends { readonly data: readonly (infer One)[] }
      ? One
      : never
    : never;

function deliveryAt(delivery: DeliveryJson, at: string): Step['deliveries'][number] {
  const { id, event_id: eventId, delivered_at: deliveredAt, dead_lettered_at: deadAt } = delivery;
  const attempts = delivery.attempts.filter((one) => one.started_at <= at).length;
  const status =
    deliveredAt !== null && deliveredAt <= at
      ? 'delivered'
      : deadAt !== null && deadAt <= at
        ? 'dead_lettered'
        : attempts > 0
          ? 'retrying'
          : 'pending';
  return { id, event_id: eventId, status, attempts };
}

type Cursor = { readonly starting_after?: string };

/** All events of a session, newest first. */
export function eventsOf(calls: Pick<Gate, 'events'>, scope: Scope, sessionId: string) {
  return all((page) => calls.events.list(scope, { session_id: sessionId, limit: 100, ...page }));
}

/** All pages of a list, newest first. */
async function all<Item extends { readonly id: string }>(
  page: (
    cursor: Cursor,
  ) => Promise<Result<{ readonly data: readonly Item[]; readonly has_more: boolean }, GateRefusal>>,
): Promise<Result<{ readonly items: readonly Item[]; readonly isComplete: boolean }, GateRefusal>> {
  const items: Item[] = [];
  let cursor: Cursor = {};
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const read = await page(cursor);
    if (read.isErr()) return err(read.error);
    items.push(...read.value.data);
    const last = read.value.data.at(-1);
    if (!read.value.has_more || last === undefined) return ok({ items, isComplete: true });
    cursor = { starting_after: last.id };
  }
  return ok({ items, isComplete: false });
}
