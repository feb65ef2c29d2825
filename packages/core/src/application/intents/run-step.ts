import { ok, type Result } from 'neverthrow';
import type { Intent } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { isLeased, retryTask, type Task } from '../../domain/task/task.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { ProviderAnswer } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { execute, type Executed, type KeyRefusal } from '../execute.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { runTask } from '../tasks/run-task.js';
import { commitOutcome, newsOf, type LostLease } from './commit-outcome.js';

type Ran = Promise<Result<Executed<Intent>, KeyRefusal>>;

/**
 * Runs a provider step that was committed as this request's leased task, and answers with what
 * came of it; after `policy.providerAnswerTimeout` with the intent as it stands, while the step
 * goes on (`docs/architecture.md`, durable steps).
 */
export async function runStep(
  engine: Engine,
  intent: Intent,
  task: Task,
  call: () => Promise<ProviderAnswer>,
  idempotent: Idempotent<Intent> | null,
): Ran {
  const seal: Idempotent<Intent> | null = idempotent === null ? null : { ...idempotent, write: 'seal' };
  const work = settleStep(engine, intent, task, call, seal);
  const waited = await engine.deadlines.within(work, engine.policy.providerAnswerTimeout);
  if (waited.kind === 'done') return waited.value;
  work.catch((error: unknown) => {
    engine.telemetry.failure(error, { task_id: task.id });
  });
  return answerAsItStands(engine, intent, seal);
}

async function settleStep(
  engine: Engine,
  intent: Intent,
  task: Task,
  call: () => Promise<ProviderAnswer>,
  seal: Idempotent<Intent> | null,
): Ran {
  let answer: ProviderAnswer;
  try {
    answer = await call();
  } catch (error) {
    // The result is unknown. The worker will look the operation up; it is never sent again.
    engine.telemetry.failure(error, { task_id: task.id, provider: intent.provider });
    return answerAsItStands(engine, intent, seal, task);
  }
  const done = await commitOutcome(engine, newsOf(intent, answer, task), seal);
  if (done.isErr()) return done.map(neverLost);
  if (done.value.kind === 'lost') return answerAsItStands(engine, intent, seal);
  if (done.value.kind === 'replayed') {
    // The answer was given while the provider was still at work; its outcome counts all the same.
    await commitOutcome(engine, newsOf(intent, answer, task));
  }
  return ok(done.value);
}

function neverLost(done: Executed<Intent> | LostLease): Executed<Intent> {
  if (done.kind === 'lost') throw new Error('A refused commit lost its lease.');
  return done;
}

/** Seals the stored intent as the answer; with `retry` it also hands the task to the worker. */
async function answerAsItStands(
  engine: Engine,
  intent: Intent,
  seal: Idempotent<Intent> | null,
  retry: Task | null = null,
): Ran {
  const scope: Scope = { partnerId: intent.partnerId, mode: intent.mode };
  const read = async (): Promise<{ change: Change; value: Intent }> => {
    const now = engine.clock.now(scope.mode);
    const value = (await engine.store.findIntent(scope, intent.id)) ?? intent;
    const token = retry?.leaseToken ?? null;
    const finishes: Change['finishes'] =
      retry === null || token === null ? [] : [{ row: retryTask(retry, now, engine.policy), leaseToken: token }];
    return { change: { ...emptyChange(scope, now), finishes }, value };
  };
  if (seal === null && retry === null) return ok({ kind: 'fresh', value: (await read()).value, reply: null });
  return execute<Intent, never>(engine, async () => ok(await read()), seal);
}

/**
 * A repeat of a request whose first run never sealed its reply. While the first run's lease lives
 * it is in progress; afterwards the repeat finishes the step, and its rendering is the original.
 */
export async function finishStarted(
  engine: Engine,
  scope: Scope,
  started: { readonly resourceId: string; readonly taskId: string },
  idempotent: Idempotent<Intent>,
): Ran {
  const task = await engine.store.findTask(scope.mode, started.taskId);
  const now = engine.clock.now(scope.mode);
  if (task !== null && task.status === 'pending') {
    if (isLeased(task, now)) return ok({ kind: 'started', ...started });
    const lease = { now, leaseMs: engine.policy.taskLease, token: engine.ids.uuid(), early: true };
    const claimed = await engine.store.claimTask(scope.mode, task.id, lease);
    if (claimed === null) return ok({ kind: 'started', ...started });
    await runTask(engine, claimed);
    // The provider could not be asked: the task is handed back, and the key stays in progress.
    if ((await engine.store.findTask(scope.mode, task.id))?.status === 'pending')
      return ok({ kind: 'started', ...started });
  }
  const intent = await engine.store.findIntent(scope, started.resourceId);
  if (intent === null) throw new Error('A started operation has no intent.');
  return answerAsItStands(engine, intent, { ...idempotent, write: 'seal' });
}
