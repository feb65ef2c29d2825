import { DAY, type Instant } from '../../domain/instant.js';
import type { Intent } from '../../domain/intent/intent.js';
import { type Scope, scopeOf } from '../../domain/mode.js';
import { endIntent } from '../../domain/purchase/end-intent.js';
import { expireIfDue, type Session, type Transition } from '../../domain/session/session.js';
import { isAlarmDue, newTask, type Task, taskFields } from '../../domain/task.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import { type Change, emptyChange } from '../../ports/change.js';
import { type Audience, loadAudience, purchaseWrites, sessionEvents, updated } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';

/** A session or payment held longer than this raises an alarm. */
export const HOLD_ALARM_AFTER = DAY;

/** The live intent that ends with the session, and the recipients of the announcements. */
interface ClosingContext {
  readonly live: LiveIntent | null;
  readonly audience: Audience;
}

/** The live intent of a session. */
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
 * The change that closes a session: its status and event, the end of its live intent, and the task that cancels at the provider, in one
 * commit. The session's version guards it: if a provider step was committed after the session was read, the close is refused.
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

/** The writes that end the session's live intent, if any. */
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

/** A task that cancels an intent at its provider, after the intent has ended here. */
export function cancelAtProvider(engine: Engine, intent: Intent, now: Instant): Task {
  const task = { id: engine.ids.object(now), kind: 'provider_cancel', subjectId: intent.id, dueAt: now } as const;
  return newTask({ ...scopeOf(intent), ...task }, now);
}

/** A session or a payment over rails. */
interface Held extends Scope {
  readonly id: string;
  readonly heldSince: Instant | null;
}

/** The alarm task for a new hold, which alerts an operator if the hold does not end. */
export function holdAlarm(engine: Engine, before: Held | null, next: Held, now: Instant): readonly Task[] {
  if ((before?.heldSince ?? null) !== null || next.heldSince === null) return [];
  const dueAt = next.heldSince + HOLD_ALARM_AFTER;
  return [
    newTask({ id: engine.ids.object(now), kind: 'hold_alarm', ...scopeOf(next), subjectId: next.id, dueAt }, now),
  ];
}

/**
 * Raises the alarm of a step or refund that has been pending for too long. Called before the run's end is committed, so that a crash
 * repeats the alarm instead of losing it.
 */
export function raiseAlarmIfDue({ telemetry }: Engine, task: Task, now: Instant): void {
  if (!isAlarmDue(task, now)) return;
  const name = task.kind === 'provider_refund' ? 'refund_pending_too_long' : 'provider_step_unknown';
  telemetry.alarm(name, { ...taskFields(task), intent_id: task.subjectId });
}

/** The expiry of a session that is overdue at `now`. */
export interface Expiry {
  readonly session: Session;
  readonly expired: Transition;
  readonly context: ClosingContext;
  readonly now: Instant;
}

/** Null if the session is not overdue; nothing else is read then. */
export async function loadExpiry(engine: Engine, session: Session, now: Instant): Promise<Expiry | null> {
  const expired = expireIfDue(session, now);
  return expired === null ? null : { session, expired, context: await loadClosingContext(engine, session), now };
}

/** The change, and the session after it is committed. */
export function expire(
  engine: Engine,
  { session, expired, context, now }: Expiry,
): { readonly change: Change; readonly value: Session } {
  return {
    change: closingChange(engine, session, context, expired, now),
    value: updated(session, expired.session).row,
  };
}
