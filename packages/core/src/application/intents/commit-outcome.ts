import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Intent } from '../../domain/intent/intent.js';
import { storable } from '../../domain/json/storable.js';
import type { Scope } from '../../domain/mode.js';
import { applyOutcome } from '../../domain/purchase/apply-outcome.js';
import type { Outcome, SettlementDetails } from '../../domain/purchase/outcome.js';
import { endStep, type Purchase, type PurchaseAlarm, type PurchaseStep } from '../../domain/purchase/purchase.js';
import { completedSessionsCounter } from '../../domain/quota/quota.js';
import { finishTask, newTask, type Task, type TaskKind } from '../../domain/task/task.js';
import { emptyChange, type Change, type CounterMove } from '../../ports/change.js';
import type { ProviderAnswer } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { execute, type Executed, type KeyRefusal } from '../execute.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { intentEnd } from '../sessions/close-session.js';
import { holdAlarm } from '../sessions/hold-alarm.js';
import { purchaseWrites, sessionEvents } from '../writes.js';
import { loadPurchase } from './load-purchase.js';

/** News of an intent, from whichever side it came. */
export interface News {
  readonly scope: Scope;
  readonly intentId: string;
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
  readonly checkAfterMs: number | null;
  /** The leased task this news is the result of; it is finished with it. */
  readonly task: Task | null;
  /** A mark that lets this news count once. */
  readonly once: string | null;
}

/**
 * Commits what a provider said, with everything that follows from it: rows, events, the next
 * check, the lapse of a required action, the hold's alarm, the quota, the end of a rival intent.
 */
export async function commitOutcome(
  engine: Engine,
  news: News,
  idempotent: Idempotent<Intent> | null = null,
): Promise<Result<Executed<Intent> | LostLease, KeyRefusal>> {
  try {
    return await commitLeased(
      engine,
      { ...news, ...storable({ outcome: news.outcome, details: news.details }) },
      idempotent,
    );
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    engine.telemetry.note('task_lease_lost', { task_id: news.task?.id ?? null, kind: news.task?.kind ?? null });
    return ok({ kind: 'lost' });
  }
}

/** Another has claimed the task since: what it commits counts, and ours changed nothing. */
export interface LostLease {
  readonly kind: 'lost';
}

class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

async function commitLeased(
  engine: Engine,
  news: News,
  idempotent: Idempotent<Intent> | null,
): Promise<Result<Executed<Intent>, KeyRefusal>> {
  let alarms: readonly PurchaseAlarm[] = [];
  const done = await execute<Intent, never>(
    engine,
    async (attempt) => {
      if (attempt > 0 && !(await holdsLease(engine, news.task))) throw new LeaseLost();
      const before = await loadPurchase(engine, news.scope, news.intentId);
      const now = engine.clock.now(news.scope.mode);
      const step = applyOutcome(before, news.outcome, news.details, now, engine.policy) ?? unchanged(before);
      alarms = step.alarms;
      const settled = {
        ...step,
        purchase: news.task === null ? step.purchase : endStep(step.purchase, news.task.id, now, engine.policy),
      };
      return ok({ change: await changeOf(engine, news, before, settled, now), value: settled.purchase.intent });
    },
    idempotent,
  );
  if (done.isOk() && done.value.kind === 'fresh') {
    for (const alarm of alarms) engine.telemetry.alarm(alarm, { intent_id: news.intentId, mode: news.scope.mode });
  }
  return done;
}

function unchanged(purchase: Purchase): PurchaseStep {
  return { purchase, announcements: [], alarms: [] };
}

async function holdsLease(engine: Engine, task: Task | null): Promise<boolean> {
  if (task === null) return true;
  const stored = await engine.store.findTask(task.mode, task.id);
  return stored?.leaseToken === task.leaseToken;
}

async function changeOf(
  engine: Engine,
  news: News,
  before: Purchase,
  step: PurchaseStep,
  now: Instant,
): Promise<Change> {
  const { purchase } = step;
  const rival = await rivalEnd(engine, before, purchase, now);
  const writes = purchaseWrites(before, purchase);
  return {
    ...emptyChange(news.scope, now),
    once: news.once === null ? [] : [news.once],
    sessions: writes.sessions,
    intents: [...writes.intents, ...rival.intents],
    transactions: [...writes.transactions, ...rival.transactions],
    ...(await sessionEvents(engine, purchase.session, step.announcements, now)),
    tasks: [...(await followUps(engine, news, before, purchase, now)), ...rival.tasks],
    finishes: finishesOf(news.task),
    counters: [...writes.counters, ...rival.counters, ...completions(before, purchase, now)],
  };
}

function finishesOf(task: Task | null): Change['finishes'] {
  const leaseToken = task?.leaseToken ?? null;
  if (task === null || leaseToken === null) return [];
  return [{ row: finishTask(task), leaseToken }];
}

/** A late success completed the session while another intent was live: that one ends. */
async function rivalEnd(engine: Engine, before: Purchase, next: Purchase, now: Instant) {
  const rivalId = before.session.intentId;
  if (!hasCompleted(before, next) || rivalId === null || rivalId === next.intent.id) {
    return { intents: [], transactions: [], tasks: [], counters: [] };
  }
  return intentEnd(engine, before.session, now);
}

async function followUps(engine: Engine, news: News, before: Purchase, next: Purchase, now: Instant): Promise<Task[]> {
  const tasks: Task[] = [...holdAlarm(engine, before.session, next.session, now)];
  const add = (kind: TaskKind, dueAt: Instant, subjectId = next.intent.id) => {
    tasks.push(newTask({ id: engine.ids.object(now), kind, ...news.scope, subjectId, dueAt }, now));
  };
  if (news.checkAfterMs !== null) add('provider_check', now + news.checkAfterMs);
  if (next.intent.expiresAt !== null && next.intent.expiresAt !== before.intent.expiresAt) {
    // The first instant at which it has lapsed.
    add('intent_expiry', next.intent.expiresAt + 1);
  }
  if (hasCompleted(before, next) && (await hasQuota(engine, news.scope))) add('quota_check', now, news.scope.partnerId);
  return tasks;
}

async function hasQuota(engine: Engine, scope: Scope): Promise<boolean> {
  const partner = await engine.partners.findPartner(scope.partnerId);
  return partner !== null && partner.completedSessionsQuota !== null;
}

function completions(before: Purchase, next: Purchase, now: Instant): readonly CounterMove[] {
  if (!hasCompleted(before, next)) return [];
  const scope = { partnerId: next.session.partnerId, mode: next.session.mode };
  return [{ name: completedSessionsCounter(scope, now), delta: '1', atLeast: null }];
}

function hasCompleted(before: Purchase, next: Purchase): boolean {
  return before.session.status !== 'completed' && next.session.status === 'completed';
}

/** A provider's answer as news of the intent. */
export function newsOf(intent: Intent, answer: ProviderAnswer, task: Task | null): News {
  return {
    scope: { partnerId: intent.partnerId, mode: intent.mode },
    intentId: intent.id,
    outcome: answer.outcome,
    details: answer.details,
    checkAfterMs: answer.checkAfterMs,
    task,
    once: null,
  };
}
