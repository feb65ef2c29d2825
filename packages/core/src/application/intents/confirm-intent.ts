import { err, ok, type Result } from 'neverthrow';
import type { Intent } from '../../domain/intent/intent.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { leasedTask, type Task } from '../../domain/task/task.js';
import { emptyChange } from '../../ports/change.js';
import type { Confirmation } from '../../ports/provider.js';
import type { EmbedToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import { execute } from '../execute.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { providerNamed } from '../providers/route-provider.js';
import { updated } from '../writes.js';
import { startedKey } from './create-intent.js';
import { readIntent, type ReadIntentRefusal } from './read-intent.js';
import { finishStarted, runStep } from './run-step.js';

export type ConfirmIntentRefusal =
  | ReadIntentRefusal
  | Refusal<'intent_not_confirmable' | 'operation_in_progress' | 'idempotency_key_mismatch'>;

/**
 * Gives the provider what the required action asked for. What is given passes through: it is
 * stored nowhere, and after a crash the operation is looked up instead of sent again.
 */
export async function confirmIntent(
  engine: Engine,
  caller: { readonly token: EmbedToken },
  input: { readonly intentId: string; readonly confirmation: Confirmation },
  idempotent: Idempotent<Intent> | null,
): Promise<Result<Answered<Intent>, ConfirmIntentRefusal>> {
  const done = await onePerKey(engine, idempotent, async () => {
    let step: Step | null = null;
    const begun = await execute<Intent, ConfirmIntentRefusal['code']>(
      engine,
      async () => {
        const ready = await confirmable(engine, caller.token, input);
        if (ready.isErr()) return err(ready.error);
        step = stepOf(engine, ready.value);
        return ok({ change: changeOf(engine, ready.value, step, idempotent), value: step.intent });
      },
      idempotent,
    );
    if (begun.isErr()) return err(begun.error);
    if (begun.value.kind === 'started' && idempotent !== null) {
      return finishStarted(engine, caller.token.scope, begun.value, idempotent);
    }
    if (begun.value.kind !== 'fresh' || step === null) return ok(begun.value);
    return run(engine, step, input.confirmation, idempotent);
  });
  return done.andThen(answered);
}

interface Step {
  readonly intent: Intent;
  readonly task: Task;
}

async function confirmable(
  engine: Engine,
  token: EmbedToken,
  input: { readonly intentId: string; readonly confirmation: Confirmation },
): Promise<Result<Intent, ConfirmIntentRefusal>> {
  const read = await readIntent(engine, token, input.intentId);
  if (read.isErr()) return err(read.error);
  const { intent } = read.value;
  if (intent.stepTaskId !== null) return refuse('operation_in_progress', 'Operation already in progress');
  if (intent.status !== 'requires_action') return refuse('intent_not_confirmable', `The intent is ${intent.status}; there is nothing to confirm.`);
  if (intent.nextAction?.type !== input.confirmation.action) {
    return refuse('intent_not_confirmable', `The intent waits for ${intent.nextAction?.type ?? 'nothing'}, not for ${input.confirmation.action}.`);
  }
  return ok(intent);
}

function stepOf(engine: Engine, before: Intent): Step {
  const now = engine.clock.now(before.mode);
  const task = leasedTask(
    {
      id: engine.ids.object(now),
      kind: 'provider_confirm',
      partnerId: before.partnerId,
      mode: before.mode,
      subjectId: before.id,
      dueAt: now,
    },
    engine.ids.uuid(),
    now,
    engine.policy,
  );
  return { intent: { ...before, stepTaskId: task.id, updatedAt: now }, task };
}

function changeOf(engine: Engine, before: Intent, step: Step, idempotent: Idempotent<Intent> | null) {
  const scope = { partnerId: before.partnerId, mode: before.mode };
  const now = step.task.createdAt;
  return {
    ...emptyChange(scope, now),
    idempotency: startedKey(engine, idempotent, before.id, step.task.id, now),
    intents: [updated(before, step.intent)],
    tasks: [step.task],
  };
}

function run(engine: Engine, { intent, task }: Step, confirmation: Confirmation, idempotent: Idempotent<Intent> | null) {
  const provider = providerNamed(engine, intent.provider);
  const order = {
    operationId: intent.operationId,
    mode: intent.mode,
    now: engine.clock.now(intent.mode),
    intent,
    confirmation,
  };
  return runStep(engine, intent, task, () => provider.confirm(order), idempotent);
}
