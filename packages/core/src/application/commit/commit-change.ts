import type { AuditedChange } from '../../domain/audit.js';
import { isTerminal } from '../../domain/session/session.js';
import type { Task } from '../../domain/task.js';
import type { Change, CommitOutcome } from '../../ports/change.js';
import { type TraceContext, traceContextOf, type WakeHint } from '../../ports/edge.js';
import { writeAudited } from '../audit.js';
import type { Engine } from '../engine.js';
import { notify } from '../listeners.js';
import { forgetPackage } from './row-writes.js';
import { traced } from '../tracing.js';

/** The result of a change that was not stale. */
export type ChangeResult =
  | Exclude<CommitOutcome, { kind: 'stale' }>
  /** Another worker has claimed a task that the change finishes. That worker's commit counts; this one changed nothing. */
  | { readonly kind: 'lost' };

/**
 * The only call of the store's `commit`, used by `execute` and `apply` alone. Returns null when the change is stale and must be decided
 * again; the consumers are then reloaded, in case the registry has changed. After a commit, wakes workers for the work it makes due and
 * deletes the KYC packages of sessions it ended.
 */
export function commitChange(
  engine: Engine,
  change: Change,
  audited: readonly AuditedChange[] = [],
): Promise<ChangeResult | null> {
  if (engine.trace === null || engine.trace.current === null) return commit(engine, change, audited);
  return traced(
    engine,
    'commit',
    (within) => commit(within, inTrace(within, change), audited),
    (result) => ({ attributes: { 'gateramp.commit.result': result?.kind ?? 'stale' }, errorType: null }),
    () => linksOf(change),
  );
}

/** The only place where deliveries and tasks get their trace context. */
function inTrace({ trace }: Engine, change: Change): Change {
  const context = trace?.current ?? null;
  if (context === null || change.deliveries.length + change.tasks.length + change.replays.length === 0) return change;
  return {
    ...change,
    deliveries: change.deliveries.map(({ row, when }) => ({ row: { ...row, ...context }, when })),
    tasks: change.tasks.map((task) => ({ ...task, ...context })),
    replays: change.replays.map((row) => ({ ...row, replayedIn: context.traceparent })),
  };
}

/** The contexts of the events that a commit replays, at most as many as OpenTelemetry's SDKs keep. */
function linksOf({ replays }: Change): readonly TraceContext[] {
  const contexts = new Map(replays.map((row) => [row.traceparent, traceContextOf(row.traceparent, row.tracestate)]));
  return [...contexts.values()].flatMap((context) => context ?? []).slice(0, LINKS_MAX);
}

const LINKS_MAX = 128;

async function commit(engine: Engine, change: Change, audited: readonly AuditedChange[]): Promise<ChangeResult | null> {
  const outcome = await commitAudited(engine, change, audited);
  if (outcome.kind === 'stale') {
    if (await hasLostLease(engine, change)) return { kind: 'lost' };
    if (change.consumers !== null) await engine.consumers.refresh();
    return null;
  }
  if (outcome.kind === 'committed') {
    forgetPackages(engine, change);
    wakeFor(engine, change);
    if (!engine.isWithinHost) notifyOf(engine, change, audited);
  }
  return outcome;
}

function notifyOf(engine: Engine, change: Change, audited: readonly AuditedChange[]): void {
  notify(engine, (listener) => listener.committed?.(change));
  if (audited.length > 0) notify(engine, (listener) => listener.audited?.(audited));
}

function commitAudited(engine: Engine, change: Change, audited: readonly AuditedChange[]): Promise<CommitOutcome> {
  const { store } = engine;
  if (audited.length === 0) return store.commit(change);
  return writeAudited(
    engine,
    audited,
    (audit) => store.commit({ ...change, audit }),
    ({ kind }) => kind === 'stale',
  );
}

async function hasLostLease({ store, telemetry }: Engine, { finishes }: Change): Promise<boolean> {
  let isLost = false;
  for (const { row, leaseToken } of finishes) {
    const stored = await store.find('task', row, row.id);
    if (stored?.leaseToken === leaseToken) continue;
    telemetry.note('task_lease_lost', { task_id: row.id, kind: row.kind });
    isLost = true;
  }
  return isLost;
}

/** Wake-ups are only hints; the committed rows are authoritative. */
function wakeFor(engine: Engine, { now, deliveries, replays, tasks, finishes }: Change): void {
  if (deliveries.length + replays.length > 0) engine.scheduler.wake([{ delayMs: 0 }]);
  const free = [...tasks, ...finishes.map(({ row }) => row)].filter(isFree);
  if (free.length > 0)
    engine.scheduler.wake(free.map(({ dueAt }): WakeHint => ({ delayMs: Math.max(0, dueAt - now) })));
}

/** Whether the first worker that claims may take the task. */
function isFree({ status, leaseToken }: Task): boolean {
  return status === 'pending' && leaseToken === null;
}

/**
 * Does not wait for the vault: packages it fails to delete now are deleted at their `forgetBy`. Skipped within the host's transaction,
 * which may still be rolled back.
 */
function forgetPackages(engine: Engine, { sessions }: Change): void {
  if (engine.isWithinHost) return;
  for (const { row } of sessions) if (isTerminal(row) && row.kyc !== null) void forgetPackage(engine, row.id);
}
