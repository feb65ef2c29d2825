import { DAY, type Instant, MINUTE, SECOND } from './instant.js';
import type { Mode } from './mode.js';
import { type Delivery, hasEnded } from './webhook/delivery.js';

/** A worker has a claimed task for this long; longer than a request waits for its provider. */
export const TASK_LEASE = 30 * SECOND;

/** Claims of a task or delivery without a recorded result after which it is parked and reported. */
export const CLAIMS_MAX = 20;

/** After the previous failure of a task; the last one is repeated. */
const RETRY_GAPS: readonly number[] = [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE];

/** While a provider step is young, its outcome is looked up at least so often, whatever `RETRY_GAPS` says. */
const YOUNG_STEP_GAP_MAX = 30 * SECOND;
const STEP_IS_YOUNG_FOR = 10 * MINUTE;

/** A provider step whose outcome is unknown for so long raises `provider_step_unknown`. */
const STEP_ALARM_AFTER = 5 * MINUTE;

/** A refund that is pending for so long raises `refund_pending_too_long`. */
const REFUND_ALARM_AFTER = DAY;

/** Work that must survive a crash: it is committed before it is begun. */
type TaskKind =
  | 'provider_start'
  | 'provider_confirm'
  | 'provider_cancel'
  | 'provider_check'
  | 'provider_refund'
  | 'intent_expiry'
  | 'hold_alarm'
  | 'quota_check'
  | 'pool_settlement';

/** Work of ours that whichever process claims it takes up, until it is done or parked. */
export interface Task {
  readonly id: string;
  readonly kind: TaskKind;
  readonly partnerId: string;
  readonly mode: Mode;
  /** What the task is about: an intent (for `provider_refund` too), or for `hold_alarm` the session or payment that is held. */
  readonly subjectId: string;
  readonly status: 'pending' | 'done' | 'parked';
  readonly dueAt: Instant;
  readonly leaseToken: string | null;
  readonly leaseUntil: Instant | null;
  /** Claims since a run last ended, well or badly; the first belongs to the request that made the task, if it was made leased. */
  readonly claims: number;
  /** Runs that ended in a failure to reach the provider. */
  readonly failures: number;
  readonly createdAt: Instant;
}

/** What a task is made of. */
export interface NewTask {
  readonly id: string;
  readonly kind: TaskKind;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly subjectId: string;
  readonly dueAt: Instant;
}

/** A task that is due at `dueAt`, not claimed yet. */
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

/** A task born with its maker's lease: the request runs it at once, and only a crash lets another claim it. */
export function leasedTask(input: NewTask, leaseToken: string, now: Instant): Task {
  return { ...newTask(input, now), leaseToken, leaseUntil: now + TASK_LEASE, claims: 1 };
}

/** The task as done, its lease given up. */
export function finishTask(task: Task): Task {
  return { ...task, status: 'done', leaseToken: null, leaseUntil: null };
}

/** After a failed run: the next try, later each time, and never given up silently. */
export function retryTask(task: Task, now: Instant): Task {
  const last = RETRY_GAPS.length - 1;
  const gap = RETRY_GAPS[Math.min(task.failures, last)] ?? TASK_LEASE;
  const dueAt = dueByAlarm(task, now, isProviderStep(task) ? nextLookup(task, now, gap) : now + gap);
  // A run that came to an end is no crash: only claims without one count towards parking.
  return { ...task, failures: task.failures + 1, claims: 0, dueAt, leaseToken: null, leaseUntil: null };
}

/** A step of unknown outcome holds its session, so it is looked up often at first. */
function nextLookup({ createdAt }: Task, now: Instant, gap: number): Instant {
  const isYoung = now - createdAt < STEP_IS_YOUNG_FOR;
  return now + (isYoung ? Math.min(gap, YOUNG_STEP_GAP_MAX) : gap);
}

/** When a task runs again that was to run at `next`: it also runs at the very instant of its alarm. */
export function dueByAlarm(task: Task, now: Instant, next: Instant): Instant {
  const alarmAt = alarmOf(task);
  return alarmAt !== null && now < alarmAt ? Math.min(next, alarmAt) : next;
}

/** Whether this run of a task is the first one to end past its alarm: it has gone on for too long. */
export function isAlarmDue(task: Task, now: Instant): boolean {
  const alarmAt = alarmOf(task);
  return alarmAt !== null && task.dueAt <= alarmAt && alarmAt <= now;
}

/** When a task that has not ended raises its alarm; null for one that has none. */
function alarmOf(task: Task): Instant | null {
  if (task.kind === 'provider_refund') return task.createdAt + REFUND_ALARM_AFTER;
  return isProviderStep(task) ? task.createdAt + STEP_ALARM_AFTER : null;
}

/** Whether the task is a step of an attempt to pay. */
function isProviderStep({ kind }: Task): boolean {
  return kind === 'provider_start' || kind === 'provider_confirm';
}

/** Runs it again at `dueAt`, without calling that a failure. */
export function postponeTask(task: Task, dueAt: Instant): Task {
  return { ...task, dueAt, failures: 0, claims: 0, leaseToken: null, leaseUntil: null };
}

/** The task set aside for an operator, its lease given up. */
export function parkTask(task: Task): Task {
  return { ...task, status: 'parked', leaseToken: null, leaseUntil: null };
}

/** Whether someone is running it now; an expired lease is free to take. */
export function isLeased(
  work: { readonly leaseToken: string | null; readonly leaseUntil: Instant | null },
  now: Instant,
): boolean {
  return work.leaseToken !== null && work.leaseUntil !== null && now < work.leaseUntil;
}

/** Until `leaseUntil` no other worker gets it. */
interface LeaseFields {
  readonly leaseToken: string;
  readonly leaseUntil: Instant;
  /** Claims since a result was last recorded, this one included. */
  readonly claims: number;
}

/**
 * When a delivery or task may be claimed: at its due time, or when the lease that it is under lapses. Null: never, since it has ended or is
 * parked.
 */
export function freeAt(work: Delivery | Task): Instant | null {
  const dueAt = dueTime(work);
  return dueAt === null || work.leaseToken === null ? dueAt : work.leaseUntil;
}

function dueTime(work: Delivery | Task): Instant | null {
  if ('kind' in work) return work.status === 'pending' ? work.dueAt : null;
  return hasEnded(work) || work.parkedAt !== null ? null : work.dueAt;
}

/** What a claim at `now` changes in the row. */
export function leaseOf(
  work: Pick<Delivery | Task, 'claims'>,
  { now, leaseMs, token }: { readonly now: Instant; readonly leaseMs: number; readonly token: string },
): LeaseFields {
  return { leaseToken: token, leaseUntil: now + leaseMs, claims: work.claims + 1 };
}
