import {
  type Delivery,
  type Instant,
  type Intent,
  type NextAction,
  type RailPayment,
  type Refund,
  type Scope,
  type Session,
  type Task,
  type Transaction,
  isTerminal,
  type ExecutableQuote,
  isLive,
  quoteStatus,
} from '@gateramp/core/domain';

/** A named state of a partner's sandbox. */
export interface Checkpoint extends Scope {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  /** In the time of the sandbox. */
  readonly createdAt: Instant;
  readonly sessions: number;
  readonly payments: number;
  /** Work that was not done yet: tasks, and deliveries that had not ended. */
  readonly work: number;
  readonly isDeleted: boolean;
}

/** The rows of a checkpoint, as they were stored. Empty once it is deleted. */
export interface CheckpointRows extends Scope {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Instant;
  readonly isDeleted: boolean;
  readonly rows: SavedRows | null;
}

/** The rows as a checkpoint stores them. What the provider keeps can contain card data and secrets of components, so it is encrypted. */
export interface SavedRows extends Omit<SandboxRows, 'provider'> {
  readonly sealedProvider: string;
}

/** The rows of a sandbox that a checkpoint keeps. */
export interface SandboxRows {
  readonly sessions: readonly Session[];
  readonly intents: readonly Intent[];
  readonly transactions: readonly Transaction[];
  readonly payments: readonly RailPayment[];
  readonly tasks: readonly Task[];
  /** Those that have not ended. */
  readonly deliveries: readonly Delivery[];
  /** Executable quotes that were not used, also those that had expired: they are readable for a while. */
  readonly quotes: readonly ExecutableQuote[];
  readonly provider: SandboxState;
}

/** What the sandbox provider keeps, in its own form. */
export interface SandboxState {
  /** By operation id. */
  readonly operations: Readonly<Record<string, string>>;
  /** The saved payment methods of buyers, by the partner's reference. */
  readonly customers: Readonly<Record<string, string>>;
}

/** A return to a checkpoint: its id, and by how much future instants move. */
export interface Shift {
  readonly id: string;
  readonly laterMs: number;
  /** The new ids of tasks. */
  readonly taskIds: ReadonlyMap<string, string>;
}

/**
 * The session as it was, at a new version. Event numbers continue, since receivers order by them, and deadlines are as far ahead as they
 * were. Past instants stay.
 */
export function restoredSession(saved: Session, current: Session, { id, laterMs }: Shift): Session {
  const { sequence, version } = current;
  const { heldSince } = saved;
  return {
    ...saved,
    sequence,
    version,
    expiresAt: isTerminal(saved) ? saved.expiresAt : saved.expiresAt + laterMs,
    heldSince: heldSince === null ? null : heldSince + laterMs,
    restoredBy: id,
  };
}

/** The intent as it was, at a new version. `operation` is its restored operation; null if that was not restored. */
export function restoredIntent(
  saved: Intent,
  current: Intent,
  { laterMs, taskIds }: Shift,
  operation: { readonly id: string; readonly nextAction: NextAction | null } | null,
): Intent {
  const { stepTaskId, expiresAt } = saved;
  return {
    ...saved,
    version: current.version,
    operationId: operation?.id ?? saved.operationId,
    stepTaskId: stepTaskId === null ? null : (taskIds.get(stepTaskId) ?? stepTaskId),
    nextAction: operation?.nextAction ?? laterAction(saved.nextAction, laterMs),
    expiresAt: expiresAt === null ? null : expiresAt + laterMs,
  };
}

/** The transaction as it was, at a new version. Pending refunds continue in the restored tasks. */
export function restoredTransaction(saved: Transaction, current: Transaction, { taskIds }: Shift): Transaction {
  const { refunds } = saved;
  const next = { ...saved, version: current.version };
  return refunds === undefined ? next : { ...next, refunds: refunds.map((one) => withTask(one, taskIds)) };
}

function withTask(refund: Refund, taskIds: Shift['taskIds']): Refund {
  const taskId = refund.taskId === null ? undefined : taskIds.get(refund.taskId);
  return taskId === undefined ? refund : { ...refund, taskId };
}

/** The payment over rails as it was, at a new version. */
export function restoredPayment(saved: RailPayment, current: RailPayment, { laterMs }: Shift): RailPayment {
  const { heldSince, instructions, deposit } = saved;
  return {
    ...saved,
    version: current.version,
    heldSince: heldSince === null ? null : heldSince + laterMs,
    instructions: instructions === null ? null : { ...instructions, expiresAt: instructions.expiresAt + laterMs },
    deposit: deposit === null ? null : { ...deposit, expiresAt: deposit.expiresAt + laterMs },
  };
}

/** The quote as it was, at a new version: unused, and valid for as long as it was. */
export function restoredQuote(saved: ExecutableQuote, { laterMs }: Shift): ExecutableQuote {
  return { ...saved, expiresAt: saved.expiresAt + laterMs };
}

/** A quote created since the checkpoint, which can no longer be used. Null if nothing changes. */
export function withdrawnQuote(quote: ExecutableQuote, now: Instant): ExecutableQuote | null {
  return quoteStatus(quote, now) === 'open' ? { ...quote, expiresAt: now - 1 } : null;
}

/** The task as it was, under a new id, so that a worker that still runs the former one cannot record anything about it. */
export function restoredTask(saved: Task, { laterMs, taskIds }: Shift): Task {
  return {
    ...saved,
    id: taskIds.get(saved.id) ?? saved.id,
    dueAt: saved.dueAt + laterMs,
    createdAt: saved.createdAt + laterMs,
    leaseToken: null,
    leaseUntil: null,
    claims: 0,
  };
}

/** A delivery that had not ended, under a new id. The event is the same: receivers that have it already recognise it by its id. */
export function restoredDelivery(saved: Delivery, id: string, now: Instant, { laterMs }: Shift): Delivery {
  const dueAt = saved.dueAt === null ? now : saved.dueAt + laterMs;
  return { ...saved, id, createdAt: now, dueAt, leaseToken: null, leaseUntil: null, claims: 0 };
}

/** Whether the transaction, its intent or its session can change by itself, or has changed since. */
export function isToRestore(
  saved: { readonly intent: Intent; readonly transaction: Transaction },
  current: { readonly intent: Intent; readonly transaction: Transaction },
  tasks: readonly Task[],
): boolean {
  return (
    isLive(saved.intent) ||
    saved.intent.version !== current.intent.version ||
    saved.transaction.version !== current.transaction.version ||
    tasks.some(({ subjectId }) => subjectId === saved.intent.id)
  );
}

function laterAction(action: NextAction | null, laterMs: number): NextAction | null {
  return action !== null && 'expiresAt' in action ? { ...action, expiresAt: action.expiresAt + laterMs } : action;
}
