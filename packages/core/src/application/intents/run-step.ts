import { err, ok, type Result } from 'neverthrow';
import type { ErrorCode } from '../../domain/error-code.js';
import type { Instant } from '../../domain/instant.js';
import type { Failure, Intent } from '../../domain/intent/intent.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import { NO_DETAILS, type Outcome } from '../../domain/purchase/outcome.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import type { Refusal } from '../../domain/refusal.js';
import { isLeased, leasedTask, retryTask, TASK_LEASE, type Task } from '../../domain/task.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { NotSent, ProviderAnswer, StepAnswer } from '../../ports/provider.js';
import type { UseCase } from '../commit/apply.js';
import { execute, type ExecuteResult } from '../commit/execute.js';
import type { KeyRefusal } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import { answering, type Idempotent } from '../idempotency/idempotent.js';
import { type Keyed, keyed } from '../idempotency/keyed.js';
import { notReached } from '../providers/call-providers.js';
import { runTask } from '../tasks/run-task.js';
import { commitOutcome, updateOf } from './commit-outcome.js';

type StepRun<Value> = Promise<Result<ExecuteResult<Value>, KeyRefusal>>;

/** The decision of a use case with a provider step: the purchase, and a task leased to the request. */
export interface BegunStep {
  readonly purchase: Purchase;
  readonly task: Task;
}

/** The call of the provider, and the commit of its answer, which finishes the task. */
interface StepCall<Answer> {
  readonly call: () => Promise<Answer>;
  readonly record: (answer: Answer, idempotent: Idempotent<Purchase> | null) => StepRun<Purchase>;
}

/** A committed provider step that this request holds the lease of, and how its result is rendered. */
interface Step<Value, Answer> extends StepCall<Answer> {
  readonly intent: Intent;
  readonly task: Task;
  readonly answers: Answers<Value>;
}

/** Extracts the response from a purchase, either the one that a step changed or the stored one. */
export interface Answers<Value> {
  readonly of: (purchase: Purchase) => Value;
  readonly stored: (engine: Engine, intent: Intent) => Promise<Value>;
}

export const INTENT_ANSWERS: Answers<Intent> = {
  of: ({ intent }) => intent,
  stored: async ({ store }, intent) => (await store.find('intent', scopeOf(intent), intent.id)) ?? intent,
};

/**
 * Runs a use case that moves money at a provider, in two commits: the first stores the step as a task leased to this request and the key as
 * `started`; after the provider's answer, the second stores it with the sealed reply (`docs/architecture.md`, durable steps). A repeat that
 * finds the key started waits for the first run or, once its lease has expired, finishes the step.
 */
export function executeStep<Facts, Begun extends BegunStep, Value, Answer, Code extends ErrorCode>(
  engine: Engine,
  scope: Scope,
  useCase: UseCase<Facts, Begun, Code> & {
    readonly answers: Answers<Value>;
    readonly step: (begun: Begun) => StepCall<Answer>;
  },
  idempotent: Idempotent<Value> | null,
): Keyed<Value, Refusal<Code>> {
  const { answers, decide, step } = useCase;
  return keyed(engine, idempotent, async (): Promise<Result<ExecuteResult<Value>, Refusal<Code> | KeyRefusal>> => {
    const begun = await execute<Facts, Begun, Code>(
      engine,
      {
        ...useCase,
        decide: (facts) =>
          decide(facts).map(({ change, value, ...rest }) => ({
            ...rest,
            change: { ...change, idempotency: startedKey(engine, idempotent, value, change.now) },
            value,
          })),
      },
      answering(idempotent, ({ purchase }) => answers.of(purchase)),
    );
    if (begun.isErr()) return err(begun.error);
    if (begun.value.kind === 'started' && idempotent !== null)
      return finishStarted(engine, scope, begun.value, answers, idempotent);
    if (begun.value.kind !== 'fresh') return ok(begun.value);
    const { purchase, task } = begun.value.value;
    return runStep(engine, { intent: purchase.intent, task, answers, ...step(begun.value.value) }, idempotent);
  });
}

/** Claims the key now; its reply is sealed later, so a concurrent repeat finds it in progress. */
function startedKey<Value>(
  engine: Engine,
  idempotent: Idempotent<Value> | null,
  { purchase, task }: BegunStep,
  now: Instant,
): Change['idempotency'] {
  if (idempotent === null) return null;
  return {
    kind: 'claim',
    ref: idempotent.ref,
    state: { kind: 'started', resourceId: purchase.intent.id, taskId: task.id },
    expiresAt: now + engine.policy.idempotencyRetention,
  };
}

/** A task for a step of an intent, leased to the request that creates it. */
export function stepTask(
  engine: Engine,
  { id, kind, subjectId, ...scope }: Scope & Pick<Task, 'id' | 'kind' | 'subjectId'>,
  now: Instant,
): Task {
  return leasedTask({ id, kind, ...scopeOf(scope), subjectId, dueAt: now }, engine.ids.uuid(), now);
}

/** The step of an attempt; its answer is an outcome of the intent. */
export function attemptStep(
  engine: Engine,
  { purchase: { intent }, task }: BegunStep,
  call: () => Promise<StepAnswer>,
): StepCall<ProviderAnswer> {
  return {
    call: async () => {
      const answer = await call();
      return 'outcome' in answer ? answer : whenNotSent(engine, intent, answer);
    },
    record: (answer, key) => commitOutcome(engine, updateOf(intent, answer, task), key),
  };
}

/** Runs a committed step and returns its result or, after `policy.providerAnswerTimeout`, the current state while the step continues. */
async function runStep<Value, Answer>(
  engine: Engine,
  step: Step<Value, Answer>,
  idempotent: Idempotent<Value> | null,
): StepRun<Value> {
  const seal: Idempotent<Value> | null = idempotent === null ? null : { ...idempotent, write: 'seal' };
  const work = callAndCommit(engine, step, seal);
  const waited = await engine.deadlines.within(work, engine.policy.providerAnswerTimeout);
  if (waited.kind === 'done') return waited.value;
  if (step.task.kind === 'provider_start') engine.health.failed(step.intent.provider, step.intent.mode, 'start');
  work.catch((error: unknown) => {
    engine.telemetry.failure(error, { task_id: step.task.id });
  });
  return answerAsItStands(engine, step, seal);
}

async function callAndCommit<Value, Answer>(
  engine: Engine,
  step: Step<Value, Answer>,
  seal: Idempotent<Value> | null,
): StepRun<Value> {
  const { intent, task, call, record, answers } = step;
  let answer: Answer;
  try {
    answer = await call();
  } catch (error) {
    // The result is unknown. The worker will look the operation up; it is never sent again.
    engine.telemetry.failure(error, { task_id: task.id, provider: intent.provider });
    return answerAsItStands(engine, step, seal, task);
  }
  const done = await record(answer, answering(seal, answers.of));
  if (done.isErr()) return err(done.error);
  if (done.value.kind === 'lost') return answerAsItStands(engine, step, seal);
  if (done.value.kind === 'replayed') {
    // The reply was sealed before the provider answered; the outcome is still recorded.
    await record(answer, null);
  }
  return ok(done.value.kind === 'fresh' ? { ...done.value, value: answers.of(done.value.value) } : done.value);
}

/** Nothing has reached the provider: a new attempt fails, and a pending action stays pending. */
function whenNotSent({ telemetry }: Engine, intent: Intent, answer: NotSent): ProviderAnswer {
  const { isUnavailable = false, retryable } = answer;
  if (!isUnavailable) telemetry.failure(notReached(answer), { intent_id: intent.id, provider: intent.provider });
  const outcome: Outcome =
    intent.nextAction === null
      ? { kind: 'failed', failure: { ...(isUnavailable ? UNAVAILABLE : NOT_SENT), retryable } }
      : { kind: 'requires_action', nextAction: intent.nextAction };
  return { outcome, details: NO_DETAILS, checkAfterMs: null };
}

const NOT_SENT: Omit<Failure, 'retryable'> = {
  code: 'error',
  stage: 'payment',
  message: 'The payment provider could not be reached; nothing was charged.',
};

const UNAVAILABLE: Omit<Failure, 'retryable'> = {
  ...NOT_SENT,
  message: 'This order cannot be taken at the moment; nothing was charged.',
};

/** Seals the stored state as the reply. With `retry`, also hands the task to the worker, unless another worker already holds it. */
async function answerAsItStands<Value>(
  engine: Engine,
  step: Pick<Step<Value, unknown>, 'intent' | 'answers'>,
  seal: Idempotent<Value> | null,
  retry: Task | null = null,
): StepRun<Value> {
  const scope = scopeOf(step.intent);
  const load = () => step.answers.stored(engine, step.intent);
  if (seal === null && retry === null) return ok({ kind: 'fresh', value: await load(), reply: null });
  const done = await execute<Value, Value, never>(
    engine,
    {
      load: async () => ok(await load()),
      decide: (value) => {
        const now = engine.clock.now(scope);
        return ok({ change: { ...emptyChange(scope, now), finishes: handedBack(retry, now) }, value });
      },
    },
    seal,
  );
  return done.isOk() && done.value.kind === 'lost' ? answerAsItStands(engine, step, seal) : done;
}

function handedBack(task: Task | null, now: Instant): Change['finishes'] {
  const leaseToken = task?.leaseToken ?? null;
  return task === null || leaseToken === null ? [] : [{ row: retryTask(task, now), leaseToken }];
}

/**
 * Handles a repeat of a request that never sealed its reply. While the first run's lease is valid it is in progress; afterwards the repeat
 * finishes the step and seals its own rendering.
 */
async function finishStarted<Value>(
  engine: Engine,
  scope: Scope,
  started: { readonly resourceId: string; readonly taskId: string },
  answers: Answers<Value>,
  idempotent: Idempotent<Value>,
): StepRun<Value> {
  const task = await engine.store.find('task', scope, started.taskId);
  const now = engine.clock.now(scope);
  if (task !== null && task.status === 'pending') {
    if (isLeased(task, now)) return ok({ kind: 'started', ...started });
    const lease = { now, leaseMs: TASK_LEASE, token: engine.ids.uuid(), early: true };
    const claimed = await engine.store.claimOne('task', scope, task.id, lease);
    if (claimed === null) return ok({ kind: 'started', ...started });
    await runTask(engine, claimed);
    // The provider could not be reached: the task is rescheduled, and the key stays in progress.
    if ((await engine.store.find('task', scope, task.id))?.status === 'pending')
      return ok({ kind: 'started', ...started });
  }
  const intent = await engine.store.find('intent', scope, started.resourceId);
  if (intent === null) throw new Error('A started operation has no intent.');
  return answerAsItStands(engine, { intent, answers }, { ...idempotent, write: 'seal' });
}
