import type { Instant } from '../../domain/instant.js';
import type { Intent } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { endIntent } from '../../domain/purchase/end-intent.js';
import type { Session, Transition } from '../../domain/session/session.js';
import { newTask } from '../../domain/task/task.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import { emptyChange, type Change } from '../../ports/change.js';
import { loadAudience, type Audience } from '../commit/audience.js';
import { sessionEvents } from '../commit/event-writes.js';
import { purchaseWrites, updated } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';

/** What is deleted with a session when it closes, and who is notified. */
export interface Surroundings {
  readonly live: LiveIntent | null;
  readonly audience: Audience;
}

/** The intent a session has under way. */
export interface LiveIntent {
  readonly intent: Intent;
  readonly transaction: Transaction;
}

export async function loadSurroundings(engine: Engine, session: Session): Promise<Surroundings> {
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
  { live, audience }: Surroundings,
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
  const id = engine.ids.object(now);
  const cancelThere = {
    id,
    kind: 'provider_cancel',
    ...scopeOf(session),
    subjectId: live.intent.id,
    dueAt: now,
  } as const;
  return { intents, transactions, counters, tasks: [newTask(cancelThere, now)] };
}
