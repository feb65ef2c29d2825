import { DAY, type Instant } from '../../domain/instant.js';
import type { Intent } from '../../domain/intent/intent.js';
import { type Scope, scopeOf } from '../../domain/mode.js';
import { endIntent } from '../../domain/purchase/end-intent.js';
import { expireIfDue, type Session, type Transition } from '../../domain/session/session.js';
import { newTask, type Task } from '../../domain/task.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import { type Change, emptyChange } from '../../ports/change.js';
import { type Audience, loadAudience, purchaseWrites, sessionEvents, updated } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';

/** A session or payment that is held for longer raises an alarm. */
export const HOLD_ALARM_AFTER = DAY;

/** What is deleted with a session when it closes, and who is notified. */
interface ClosingContext {
  readonly live: LiveIntent | null;
  readonly audience: Audience;
}

/** The intent a session has under way. */
export interface LiveIntent {
  readonly intent: Intent;
  readonly transaction: Transaction;
}

export async function loadClosingContext(engine: Engine, session: Session): Promise<ClosingContext> {
  return { live: await loadLiveIntent(engine, session), audience: await loadAudience(engine, scopeOf(session)) };
}

export async function loadLiveIntent({ store }: Engine, session: Session): Promise<LiveIntent | null> {
  const scope = scopeOf(session);
  const intent = session.intentId === null ? null : await store.find('intent', scope, session.intentId);
  const transaction = intent === null ? null : await store.find('transaction', scope, intent.txRefid);
  return intent === null || transaction === null ? null : { intent, transaction };
}

/**
 * The change that closes a session: its status and event, the end of its live intent, and the task
 * that cancels at the provider, all in one commit. The session's version guards it: a provider step that was
 * committed since the session was read refuses the close.
 */
export function closingChange(
  engine: Engine,
  before: Session,
  { live, audience }: ClosingContext,
  closed: Transition,
  now: Instant,
): Change {
  return {
    ...emptyChange(scopeOf(before), now),
    sessions: [updated(before, closed.session)],
    ...sessionEvents(engine, audience, closed.session, closed.announcements, now),
    ...intentEnd(engine, before, live, now),
  };
}

/** The writes that end the session's live intent, if it has one. */
export function intentEnd(
  engine: Engine,
  session: Session | null,
  live: LiveIntent | null,
  now: Instant,
): Pick<Change, 'intents' | 'transactions' | 'tasks' | 'counters'> {
  if (session === null || live === null) return { intents: [], transactions: [], tasks: [], counters: [] };
  const before = { session, ...live };
  const { intents, transactions, counters } = purchaseWrites(before, endIntent(before, now));
  return { intents, transactions, counters, tasks: [cancelAtProvider(engine, live.intent, now)] };
}

/** The task that ends an intent at its provider, which is called once the intent has ended here. */
export function cancelAtProvider(engine: Engine, intent: Intent, now: Instant): Task {
  const task = { id: engine.ids.object(now), kind: 'provider_cancel', subjectId: intent.id, dueAt: now } as const;
  return newTask({ ...scopeOf(intent), ...task }, now);
}

/** A session, or a payment over rails. */
interface Held extends Scope {
  readonly id: string;
  readonly heldSince: Instant | null;
}

/** A hold that begins sets the alarm that an operator gets when it does not end. */
export function holdAlarm(engine: Engine, before: Held | null, next: Held, now: Instant): readonly Task[] {
  if ((before?.heldSince ?? null) !== null || next.heldSince === null) return [];
  const dueAt = next.heldSince + HOLD_ALARM_AFTER;
  return [
    newTask({ id: engine.ids.object(now), kind: 'hold_alarm', ...scopeOf(next), subjectId: next.id, dueAt }, now),
  ];
}

/** The end of a session that is overdue at `now`, with what goes with it. */
export interface Expiry {
  readonly session: Session;
  readonly expired: Transition;
  readonly surroundings: ClosingContext;
  readonly now: Instant;
}

/** Null when it is not due: then nothing more is read. */
export async function loadExpiry(engine: Engine, session: Session, now: Instant): Promise<Expiry | null> {
  const expired = expireIfDue(session, now);
  return expired === null ? null : { session, expired, surroundings: await loadClosingContext(engine, session), now };
}

/** The change, and the session as it is once that is committed. */
export function expire(
  engine: Engine,
  { session, expired, surroundings, now }: Expiry,
): { readonly change: Change; readonly value: Session } {
  return {
    change: closingChange(engine, session, surroundings, expired, now),
    value: updated(session, expired.session).row,
  };
}
