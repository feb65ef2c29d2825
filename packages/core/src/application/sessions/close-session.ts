import type { Instant } from '../../domain/instant.js';
import { endIntent, type Purchase } from '../../domain/purchase/purchase.js';
import type { Session, Transition } from '../../domain/session/session.js';
import { newTask } from '../../domain/task/task.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { Engine } from '../engine.js';
import { purchaseWrites, sessionEvents, updated } from '../writes.js';

/**
 * The change that closes a session: its status and event, the end of its live intent, and the task
 * that tells the provider, all in one commit. The session's version guards it: a provider step that was
 * committed since the session was read refuses the close.
 */
export async function closingChange(
  engine: Engine,
  before: Session,
  closed: Transition,
  now: Instant,
): Promise<Change> {
  const scope = { partnerId: before.partnerId, mode: before.mode };
  return {
    ...emptyChange(scope, now),
    sessions: [updated(before, closed.session)],
    ...(await sessionEvents(engine, closed.session, closed.announcements, now)),
    ...(await intentEnd(engine, before, now)),
  };
}

/** The writes that end the session's live intent, if it has one. */
export async function intentEnd(
  engine: Engine,
  session: Session,
  now: Instant,
): Promise<Pick<Change, 'intents' | 'transactions' | 'tasks' | 'counters'>> {
  const scope = { partnerId: session.partnerId, mode: session.mode };
  const intent = session.intentId === null ? null : await engine.store.findIntent(scope, session.intentId);
  const transaction = intent === null ? null : await engine.store.findTransaction(scope, intent.txRefid);
  if (intent === null || transaction === null) return { intents: [], transactions: [], tasks: [], counters: [] };
  const before: Purchase = { session, intent, transaction };
  const { intents, transactions, counters } = purchaseWrites(before, endIntent(before, now));
  return {
    intents,
    transactions,
    counters,
    tasks: [
      newTask({ id: engine.ids.object(now), kind: 'provider_cancel', ...scope, subjectId: intent.id, dueAt: now }, now),
    ],
  };
}
