import { err, ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Intent } from '../../domain/intent/intent.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { isLeased, retryTask, type Task } from '../../domain/task/task.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { ProviderAnswer } from '../../ports/provider.js';
import { execute, type Executed } from '../commit/execute.js';
import type { KeyRefusal } from '../commit/stored-reply.js';
import type { Engine } from '../engine.js';
import { answering, type Idempotent } from '../idempotency/idempotent.js';
import { runTask } from '../tasks/run-task.js';
import { commitOutcome, updateOf } from './commit-outcome.js';

type Ran<Value> = Promise<Result<Executed<Value>, KeyRefusal>>;

/** A provider step that was committed with its maker's lease, and how it is answered. */
export interface Step<Value> {
  readonly intent: Intent;
  readonly task: Task;
  readonly call: () => Promise<ProviderAnswer>;
  readonly answers: Answers<Value>;
}

/** What is answered: part of the purchase that a step has changed, or the same as it is stored. */
export interface Answers<Value> {
  readonly of: (purchase: Purchase) => Value;
  readonly stored: (engine: Engine, intent: Intent) => Promise<Value>;
}

export const INTENT_ANSWERS: Answers<Intent> = {
  of: ({ intent }) => intent,
  stored: async ({ store }, intent) => (await store.find('intent', scopeOf(intent), intent.id)) ?? intent,
};

/**
 * Runs a provider step that was committed as this request's leased task, and answers with what
 * came of it; after `policy.providerAnswerTimeout` with the intent as it stands, while the step
 * goes on (`docs/architecture.md`, durable steps).
 */
export async function runStep<Value>(
  engine: Engine,
  step: Step<Value>,
  idempotent: Idempotent<Value> | null,
): Ran<Value> {
  const seal: Idempotent<Value> | null = idempotent === null ? null : { ...idempotent, write: 'seal' };
  const work = callAndCommit(engine, step, seal);
  const waited = await engine.deadlines.within(work, engine.policy.providerAnswerTimeout);
  if (waited.kind === 'done') return waited.value;
  work.catch((error: unknown) => {
    engine.telemetry.failure(error, { task_id: step.task.id });
  });
  return answerAsItStands(engine, step, seal);
}

async function callAndCommit<Value>(engine: Engine, step: Step<Value>, seal: Idempotent<Value> | null): Ran<Value> {
  const { intent, task, call, answers } = step;
  let answer: ProviderAnswer;
  try {
    answer = await call();
  } catch (error) {
    // The result is unknown. The worker will look the operation up; it is never sent again.
    engine.telemetry.failure(error, { task_id: task.id, provider: intent.provider });
    return answerAsItStands(engine, step, seal, task);
  }
  const done = await commitOutcome(engine, updateOf(intent, answer, task), answering(seal, answers.of));
  if (done.isErr()) return err(done.error);
  if (done.value.kind === 'lost') return answerAsItStands(engine, step, seal);
  if (done.value.kind === 'replayed') {
    // The answer was given while the provider was still at work; its outcome counts all the same.
    await commitOutcome(engine, updateOf(intent, answer, task));
  }
  return ok(done.value.kind === 'fresh' ? { ...done.value, value: answers.of(done.value.value) } : done.value);
}

/** Seals what is stored as the answer; with `retry` it also hands the task to the worker, unless another has it by now. */
async function answerAsItStands<Value>(
  engine: Engine,
  step: Pick<Step<Value>, 'intent' | 'answers'>,
  seal: Idempotent<Value> | null,
  retry: Task | null = null,
): Ran<Value> {
  const scope = scopeOf(step.intent);
  const load = () => step.answers.stored(engine, step.intent);
  if (seal === null && retry === null) return ok({ kind: 'fresh', value: await load(), reply: null });
  const done = await execute<Value, Value, never>(
    engine,
    {
      load: async () => ok(await load()),
      decide: (value) => {
        const now = engine.clock.now(scope.mode);
        return ok({ change: { ...emptyChange(scope, now), finishes: handedBack(engine, retry, now) }, value });
      },
    },
    seal,
  );
  return done.isOk() && done.value.kind === 'lost' ? answerAsItStands(engine, step, seal) : done;
}

function handedBack({ policy }: Engine, task: Task | null, now: Instant): Change['finishes'] {
  const leaseToken = task?.leaseToken ?? null;
  return task === null || leaseToken === null ? [] : [{ row: retryTask(task, now, policy), leaseToken }];
}

/**
 * A repeat of a request whose first run never sealed its reply. While the first run's lease lives
 * it is in progress; afterwards the repeat finishes the step, and its rendering is the original.
 */
export async function finishStarted<Value>(
  engine: Engine,
  scope: Scope,
  started: { readonly resourceId: string; readonly taskId: string },
  answers: Answers<Value>,
  idempotent: Idempotent<Value>,
): Ran<Value> {
  const task = await engine.store.find('task', scope.mode, started.taskId);
  const now = engine.clock.now(scope.mode);
  if (task !== null && task.status === 'pending') {
    if (isLeased(task, now)) return ok({ kind: 'started', ...started });
    const lease = { now, leaseMs: engine.policy.taskLease, token: engine.ids.uuid(), early: true };
    const claimed = await engine.store.claimOne('task', scope.mode, task.id, lease);
    if (claimed === null) return ok({ kind: 'started', ...started });
    await runTask(engine, claimed);
    // The provider could not be asked: the task is handed back, and the key stays in progress.
    if ((await engine.store.find('task', scope.mode, task.id))?.status === 'pending')
      return ok({ kind: 'started', ...started });
  }
  const intent = await engine.store.find('intent', scope, started.resourceId);
  if (intent === null) throw new Error('A started operation has no intent.');
  return answerAsItStands(engine, { intent, answers }, { ...idempotent, write: 'seal' });
}
