import { err, ok, type Result } from 'neverthrow';
import type { Intent } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { beginStep } from '../../domain/purchase/begin-purchase.js';
import { ownerOf, type Purchase } from '../../domain/purchase/purchase.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { leasedTask, type Task } from '../../domain/task.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { Confirmation } from '../../ports/provider.js';
import type { Decision } from '../commit/apply.js';
import { execute } from '../commit/execute.js';
import { purchaseWrites } from '../commit/row-writes.js';
import type { EmbedToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import { answering, type Idempotent } from '../idempotency/idempotent.js';
import { answered, type KeyedResult, onePerKey } from '../idempotency/one-per-key.js';
import { providerNamed } from '../providers/route-provider.js';
import { intentForProvider } from '../quotes/price-ask.js';
import { identityFieldErrors } from './place-attempt.js';
import { holdAlarm } from '../sessions/close-session.js';
import { startedKey } from './create-intent.js';
import { retrieveIntent, type RetrieveIntentRefusal } from './cancel-intent.js';
import { finishStarted, INTENT_ANSWERS, runStep } from './run-step.js';

export type ConfirmIntentRefusal =
  | RetrieveIntentRefusal
  | Refusal<'intent_not_confirmable' | 'operation_in_progress' | 'idempotency_key_mismatch' | 'validation_failed'>;

/**
 * Gives the provider what the required action asked for. What is given passes through: it is
 * stored nowhere, and after a crash the operation is looked up instead of sent again.
 */
export async function confirmIntent(
  engine: Engine,
  caller: { readonly token: EmbedToken },
  input: { readonly intentId: string; readonly confirmation: Confirmation },
  idempotent: Idempotent<Intent> | null,
): Promise<Result<KeyedResult<Intent>, ConfirmIntentRefusal>> {
  const done = await onePerKey(engine, idempotent, async () => {
    const begun = await execute(
      engine,
      {
        load: () => confirmable(engine, caller.token, input),
        decide: (purchase) => ok(begin(engine, purchase, idempotent)),
      },
      answering(idempotent, ({ intent }: Step) => intent),
    );
    if (begun.isErr()) return err(begun.error);
    if (begun.value.kind === 'started' && idempotent !== null) {
      return finishStarted(engine, caller.token.scope, begun.value, INTENT_ANSWERS, idempotent);
    }
    if (begun.value.kind !== 'fresh') return ok(begun.value);
    return run(engine, begun.value.value, input.confirmation, idempotent);
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
): Promise<Result<Purchase, ConfirmIntentRefusal>> {
  const read = await retrieveIntent(engine, token, input.intentId);
  if (read.isErr()) return err(read.error);
  const { intent } = read.value;
  if (intent.stepTaskId !== null) return refuse('operation_in_progress', 'Operation already in progress');
  if (intent.status !== 'requires_action')
    return refuse('intent_not_confirmable', `The intent is ${intent.status}; there is nothing to confirm.`);
  if (intent.nextAction?.type !== input.confirmation.action) {
    return refuse(
      'intent_not_confirmable',
      `The intent waits for ${intent.nextAction?.type ?? 'nothing'}, not for ${input.confirmation.action}.`,
    );
  }
  const errors = identityFieldErrors(intent.nextAction, input.confirmation, engine.clock.now(intent.mode));
  if (errors[0] !== undefined) return refuse('validation_failed', errors[0].message, errors);
  return read;
}

/** The step is committed with the hold of its session, before the provider is called. */
function begin(engine: Engine, before: Purchase, idempotent: Idempotent<Intent> | null): Decision<Step> {
  const { intent } = before;
  const scope = scopeOf(intent);
  const now = engine.clock.now(intent.mode);
  const id = engine.ids.object(now);
  const step = { id, kind: 'provider_confirm', ...scope, subjectId: intent.id, dueAt: now } as const;
  const task = leasedTask(step, engine.ids.uuid(), now, engine.policy);
  const next = beginStep(before, task.id, now, engine.policy);
  const change: Change = {
    ...emptyChange(scope, now),
    ...purchaseWrites(before, next),
    idempotency: startedKey(engine, idempotent, intent.id, task.id, now),
    tasks: [task, ...holdAlarm(engine, ownerOf(before), ownerOf(next), now)],
  };
  return { change, value: { intent: next.intent, task } };
}

function run(
  engine: Engine,
  { intent, task }: Step,
  confirmation: Confirmation,
  idempotent: Idempotent<Intent> | null,
) {
  const provider = providerNamed(engine, intent.provider);
  const order = {
    operationId: intent.operationId,
    mode: intent.mode,
    now: engine.clock.now(intent.mode),
    intent: intentForProvider(engine, intent),
    confirmation,
  };
  return runStep(engine, { intent, task, call: () => provider.confirm(order), answers: INTENT_ANSWERS }, idempotent);
}
