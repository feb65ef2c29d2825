import { ok, type Result } from 'neverthrow';
import { type Instant, SECOND } from '../../domain/instant.js';
import { type Intent, isLive } from '../../domain/intent/intent.js';
import { storable } from '../../domain/json.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import { applyOutcome } from '../../domain/purchase/apply-outcome.js';
import type { Outcome, SettlementDetails } from '../../domain/purchase/outcome.js';
import { endStep } from '../../domain/purchase/begin-purchase.js';
import { ownerOf, type Purchase, type PurchaseAlarm, type PurchaseStep } from '../../domain/purchase/purchase.js';
import type { Session } from '../../domain/session/session.js';
import { completedSessionsCounter } from '../../domain/quota/quota.js';
import { finishTask, newTask, type Task } from '../../domain/task.js';
import type { TransactionStatus } from '../../domain/transaction/transaction.js';
import { emptyChange, type Change, type CounterMove } from '../../ports/change.js';
import type { ProviderAnswer } from '../../ports/provider.js';
import { type Audience, type KeyRefusal, loadAudience, purchaseEvents, purchaseWrites } from '../commit/row-writes.js';
import type { Decision } from '../commit/apply.js';
import { execute, type ExecuteResult } from '../commit/execute.js';
import type { Engine } from '../engine.js';
import { answering, type Idempotent } from '../idempotency/idempotent.js';
import { holdAlarm, intentEnd, type LiveIntent, loadLiveIntent } from '../sessions/close-session.js';
import { loadPurchase, withSealedSecret } from './read-intents.js';

/** A provider's report of an intent, from any source. */
interface ProviderUpdate {
  readonly scope: Scope;
  readonly intentId: string;
  /** The operation that is reported. A sandbox that was returned to a checkpoint has another one, which the report says nothing about. */
  readonly operationId: string;
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
  readonly checkAfterMs: number | null;
  /** The version of the intent before the provider was asked; null for a report that was not asked for. */
  readonly askedAt: number | null;
  /** The leased task that produced the update; the commit finishes it. */
  readonly task: Task | null;
  /** A mark that makes the update count once. */
  readonly once: string | null;
}

/**
 * Commits a provider update with all its consequences: rows, events, the next check, the expiry of a required action, the hold alarm, the
 * quota, and the end of a competing intent. `lost` if another worker has claimed the task since; that worker's commit counts.
 */
export async function commitOutcome(
  engine: Engine,
  given: ProviderUpdate,
  idempotent: Idempotent<Purchase> | null = null,
): Promise<Result<ExecuteResult<Purchase>, KeyRefusal>> {
  const outcome = withSealedSecret(engine, given.scope, given.outcome);
  const update: ProviderUpdate = { ...given, ...storable({ outcome, details: given.details }) };
  const done = await execute<OutcomeContext, OutcomeResult, never>(
    engine,
    {
      load: async () => ok(await loadOutcomeContext(engine, update)),
      decide: (context) => ok(decide(engine, update, context)),
    },
    answering(idempotent, ({ purchase }: OutcomeResult) => purchase),
  );
  return done.map((executed) => {
    if (executed.kind !== 'fresh') return executed;
    const { purchase, alarms, outcome } = executed.value;
    const { partnerId, mode } = update.scope;
    const fields = { partner_id: partnerId, mode, intent_id: update.intentId };
    for (const alarm of alarms) engine.telemetry.alarm(alarm, fields);
    if (outcome !== null) engine.telemetry.note('payment', { ...fields, provider: purchase.intent.provider, outcome });
    return { ...executed, value: purchase };
  });
}

/** The purchase after the update, and the alarms to raise after the commit. */
interface OutcomeResult {
  readonly purchase: Purchase;
  readonly alarms: readonly PurchaseAlarm[];
  /** The final status that the money reached by this update; null if it reached none. */
  readonly outcome: TransactionStatus | null;
}

/** The state that the update is applied to. */
interface OutcomeContext {
  readonly before: Purchase;
  readonly audience: Audience;
  /** Another live intent of the session. */
  readonly rival: LiveIntent | null;
  readonly hasQuota: boolean;
}

async function loadOutcomeContext(engine: Engine, update: ProviderUpdate): Promise<OutcomeContext> {
  const before = await loadPurchase(engine, update.scope, update.intentId);
  const completing = update.outcome.kind === 'succeeded' && before.session?.status === 'open' ? before.session : null;
  return {
    before,
    audience: await loadAudience(engine, update.scope),
    rival:
      completing !== null && completing.intentId !== update.intentId ? await loadLiveIntent(engine, completing) : null,
    hasQuota: completing !== null && (await hasQuota(engine, update.scope)),
  };
}

async function hasQuota(engine: Engine, scope: Scope): Promise<boolean> {
  const partner = await engine.partners.findPartner(scope.partnerId);
  return partner !== null && partner.completedSessionsQuota !== null;
}

function decide(engine: Engine, update: ProviderUpdate, context: OutcomeContext): Decision<OutcomeResult> {
  const { before } = context;
  const now = engine.clock.now(update.scope);
  const isConfirmed = update.task?.kind === 'provider_confirm' && update.task.id === before.intent.stepTaskId;
  const isCurrent = update.askedAt === before.intent.version && before.intent.stepTaskId === null;
  const step =
    (before.intent.operationId === update.operationId
      ? applyOutcome(before, update, { now, policy: engine.policy, isConfirmed, isCurrent })
      : null) ?? unchanged(before);
  const next = update.task === null ? step.purchase : endStep(step.purchase, update.task.id, now, engine.policy);
  const change = changeOf(engine, update, context, { ...step, purchase: next }, now);
  return { change, value: { purchase: next, alarms: step.alarms, outcome: outcomeOf(before, next) } };
}

function outcomeOf(before: Purchase, { transaction: { status } }: Purchase): TransactionStatus | null {
  if (status === before.transaction.status || status === 'pending' || status === 'processing') return null;
  return status;
}

function unchanged(purchase: Purchase): PurchaseStep {
  return { purchase, announcements: [], alarms: [] };
}

function changeOf(
  engine: Engine,
  update: ProviderUpdate,
  { before, audience, rival, hasQuota }: OutcomeContext,
  { purchase, announcements }: PurchaseStep,
  now: Instant,
): Change {
  const completed = completedSession(before, purchase);
  const isCompleted = completed !== null;
  const writes = purchaseWrites(before, purchase);
  // A late success completed the session while another intent was live; that intent ends.
  const ended = intentEnd(engine, completed, rival, now);
  const quotaCheck = { kind: 'quota_check', dueAt: now, subjectId: update.scope.partnerId } as const;
  return {
    ...emptyChange(update.scope, now),
    once: update.once === null ? [] : [update.once],
    sessions: writes.sessions,
    intents: [...writes.intents, ...ended.intents],
    transactions: [...writes.transactions, ...ended.transactions],
    documents: writes.documents,
    ...purchaseEvents(engine, audience, purchase, announcements, now),
    tasks: [
      ...holdAlarm(engine, ownerOf(before), ownerOf(purchase), now),
      ...[...followUps(update, before, purchase, now), ...(isCompleted && hasQuota ? [quotaCheck] : [])].map((task) =>
        newTask({ id: engine.ids.object(now), ...update.scope, ...task }, now),
      ),
      ...ended.tasks,
    ],
    finishes: finishesOf(update.task),
    counters: [...writes.counters, ...ended.counters, ...(isCompleted ? completion(update.scope, now) : [])],
  };
}

function finishesOf(task: Task | null): Change['finishes'] {
  const leaseToken = task?.leaseToken ?? null;
  if (task === null || leaseToken === null) return [];
  return [{ row: finishTask(task), leaseToken }];
}

const ASK_AGAIN = 5 * SECOND;

/** The tasks that look at the intent again. */
function followUps(
  { checkAfterMs, outcome, task }: ProviderUpdate,
  before: Purchase,
  { intent }: Purchase,
  now: Instant,
): readonly Pick<Task, 'kind' | 'dueAt' | 'subjectId'>[] {
  const { id: subjectId, expiresAt } = intent;
  // The provider requires an action that is not possible here: the intent has failed, so the operation is cancelled at the provider.
  const isGivenUp = outcome.kind === 'requires_action' && isLive(before.intent) && intent.status === 'failed';
  const isToLapse = expiresAt !== null && expiresAt !== before.intent.expiresAt;
  // The provider waits for the buyer, but the intent has changed since it was asked: it is asked again.
  const isOutOfDate = outcome.kind === 'requires_action' && intent.status === 'processing' && task !== null;
  const checkAt = checkAfterMs ?? (isOutOfDate ? ASK_AGAIN : null);
  return [
    ...(checkAt === null ? [] : [{ kind: 'provider_check' as const, dueAt: now + checkAt, subjectId }]),
    ...(isGivenUp ? [{ kind: 'provider_cancel' as const, dueAt: now, subjectId }] : []),
    // The first instant after the deadline.
    ...(isToLapse ? [{ kind: 'intent_expiry' as const, dueAt: expiresAt + 1, subjectId }] : []),
  ];
}

function completion(scope: Scope, now: Instant): readonly CounterMove[] {
  return [{ name: completedSessionsCounter(scope, now), delta: '1', atLeast: null }];
}

/** The session before the update, if the update completes it. */
function completedSession(before: Purchase, next: Purchase): Session | null {
  const isCompleted = before.session?.status !== 'completed' && next.session?.status === 'completed';
  return isCompleted ? before.session : null;
}

/** Converts a provider's answer into an update of the intent, which was loaded before the provider was asked. */
export function updateOf(intent: Intent, answer: ProviderAnswer, task: Task | null): ProviderUpdate {
  return {
    scope: scopeOf(intent),
    intentId: intent.id,
    operationId: intent.operationId,
    askedAt: intent.version,
    outcome: answer.outcome,
    details: answer.details,
    checkAfterMs: answer.checkAfterMs,
    task,
    once: null,
  };
}
