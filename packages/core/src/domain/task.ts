import { DAY, type Instant, MINUTE, SECOND } from './instant.js';
import type { Mode } from './mode.js';
import { type Delivery, hasEnded } from './webhook/delivery.js';

/** How long a worker holds a claimed task; longer than a request waits for its provider. */
export const TASK_LEASE = 30 * SECOND;

/** Number of claims without a recorded result after which a task or delivery is parked and reported. */
export const CLAIMS_MAX = 20;

/** Delays after consecutive failures of a task; the last one repeats. */
const RETRY_GAPS: readonly number[] = [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE];

/** Maximum delay between look-ups of a recent provider step, overriding `RETRY_GAPS`. */
const YOUNG_STEP_GAP_MAX = 30 * SECOND;
const STEP_IS_YOUNG_FOR = 10 * MINUTE;

/** A provider step without a known outcome raises `provider_step_unknown` after this time. */
const STEP_ALARM_AFTER = 5 * MINUTE;

/** A refund that stays pending raises `refund_pending_too_long` after this time. */
const REFUND_ALARM_AFTER = DAY;

/** Work of the engine that must survive a crash; committed before it starts. */
export type TaskKind =
  | 'provider_start'
  | 'provider_confirm'
  | 'provider_cancel'
  | 'provider_check'
  | 'provider_refund'
  | 'intent_expiry'
  | 'hold_alarm'
  | 'quota_check';

/** Internal work that any process can claim, until it is done or parked. */
export interface Task {
  readonly id: string;
  /** A `TaskKind`, or a kind of an extension. */
  readonly kind: string;
  readonly partnerId: string;
  readonly mode: Mode;
  /** An intent (also for `provider_refund`); for `hold_alarm`, the held session or payment. */
  readonly subjectId: string;
  readonly status: 'pending' | 'done' | 'parked';
  readonly dueAt: Instant;
  readonly leaseToken: string | null;
  readonly leaseUntil: Instant | null;
  /**
   * Claims since the last run that ended, successfully or not. If the task was created with a lease, the first claim is the creating
   * request's.
   */
  readonly claims: number;
  /** Runs that failed to reach the provider. */
  readonly failures: number;
  readonly createdAt: Instant;
  /** The trace context that the task was created in; absent without tracing. Every run continues it. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** The fields of a new task. */
export interface NewTask {
  readonly id: string;
  readonly kind: string;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly subjectId: string;
  readonly dueAt: Instant;
}

/** An unclaimed task that is due at `dueAt`. */
export function newTask(input: NewTask, now: Instant): Task {
  return {
    ...input,
    status: 'pending',
    leaseToken: null,
    leaseUntil: null,
    claims: 0,
    failures: 0,
    createdAt: now,
  };
}

/** A task leased to the request that creates it. The request runs it at once; another worker claims it only after a crash. */
export function leasedTask(input: NewTask, leaseToken: string, now: Instant): Task {
  return { ...newTask(input, now), leaseToken, leaseUntil: now + TASK_LEASE, claims: 1 };
}

/** Marks the task as done and releases its lease. */
export function finishTask(task: Task): Task {
  return { ...task, status: 'done', leaseToken: null, leaseUntil: null };
}

/** Schedules the next run after a failure, with increasing delays and without an end. */
export function retryTask(task: Task, now: Instant): Task {
  const last = RETRY_GAPS.length - 1;
  const gap = RETRY_GAPS[Math.min(task.failures, last)] ?? TASK_LEASE;
  const dueAt = dueByAlarm(task, now, isProviderStep(task) ? nextLookup(task, now, gap) : now + gap);
  // The run ended, so it is no crash: only claims without a result count towards parking.
  return { ...task, failures: task.failures + 1, claims: 0, dueAt, leaseToken: null, leaseUntil: null };
}

/** A step of unknown outcome holds its session, so it is looked up frequently at first. */
function nextLookup({ createdAt }: Task, now: Instant, gap: number): Instant {
  const isYoung = now - createdAt < STEP_IS_YOUNG_FOR;
  return now + (isYoung ? Math.min(gap, YOUNG_STEP_GAP_MAX) : gap);
}

/** The time of the next run, moved forward to the task's alarm if that comes first. */
export function dueByAlarm(task: Task, now: Instant, next: Instant): Instant {
  const alarmAt = alarmOf(task);
  return alarmAt !== null && now < alarmAt ? Math.min(next, alarmAt) : next;
}

/** Whether this is the first run at or after the task's alarm time. */
export function isAlarmDue(task: Task, now: Instant): boolean {
  const alarmAt = alarmOf(task);
  return alarmAt !== null && task.dueAt <= alarmAt && alarmAt <= now;
}

/** When an unfinished task raises its alarm; null for tasks without one. */
function alarmOf(task: Task): Instant | null {
  if (task.kind === 'provider_refund') return task.createdAt + REFUND_ALARM_AFTER;
  return isProviderStep(task) ? task.createdAt + STEP_ALARM_AFTER : null;
}

/** Whether the task is a step of an attempt to pay. */
function isProviderStep({ kind }: Task): boolean {
  return kind === 'provider_start' || kind === 'provider_confirm';
}

/** Reschedules the task without counting a failure. */
export function postponeTask(task: Task, dueAt: Instant): Task {
  return { ...task, dueAt, failures: 0, claims: 0, leaseToken: null, leaseUntil: null };
}

/** Sets the task aside for an operator and releases its lease. */
export function parkTask(task: Task): Task {
  return { ...task, status: 'parked', leaseToken: null, leaseUntil: null };
}

/** Whether a worker holds the work. An expired lease does not count. */
export function isLeased(
  work: { readonly leaseToken: string | null; readonly leaseUntil: Instant | null },
  now: Instant,
): boolean {
  return work.leaseToken !== null && work.leaseUntil !== null && now < work.leaseUntil;
}

/** A claim; no other worker can claim the work until `leaseUntil`. */
interface LeaseFields {
  readonly leaseToken: string;
  readonly leaseUntil: Instant;
  /** Claims since the last recorded result, including this one. */
  readonly claims: number;
}

/** When a delivery or task can be claimed: when it is due or, if leased, when the lease expires. Null if it has ended or is parked. */
export function freeAt(work: Delivery | Task): Instant | null {
  const dueAt = dueTime(work);
  return dueAt === null || work.leaseToken === null ? dueAt : work.leaseUntil;
}

function dueTime(work: Delivery | Task): Instant | null {
  if ('kind' in work) return work.status === 'pending' ? work.dueAt : null;
  return hasEnded(work) || work.parkedAt !== null ? null : work.dueAt;
}

/** The fields that a claim at `now` changes. */
export function leaseOf(
  work: Pick<Delivery | Task, 'claims'>,
  { now, leaseMs, token }: { readonly now: Instant; readonly leaseMs: number; readonly token: string },
): LeaseFields {
  return { leaseToken: token, leaseUntil: now + leaseMs, claims: work.claims + 1 };
}

/** Log and alarm fields of a task. */
export function taskFields({ id, kind, partnerId, mode }: Task) {
  return { partner_id: partnerId, mode, task_id: id, kind };
}
