import { ok, type Result } from 'neverthrow';
import { isLive, type Intent } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { endIntent } from '../../domain/purchase/end-intent.js';
import { mayBeMoving } from '../../domain/purchase/hold-while-moving.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { newTask } from '../../domain/task/task.js';
import { emptyChange } from '../../ports/change.js';
import type { Decision } from '../commit/decision.js';
import { execute } from '../commit/execute.js';
import { purchaseWrites } from '../commit/row-writes.js';
import type { EmbedToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { readIntent, type ReadIntentRefusal } from './read-intent.js';

export type CancelIntentRefusal =
  | ReadIntentRefusal
  | Refusal<'intent_not_confirmable' | 'session_processing' | 'operation_in_progress' | 'idempotency_key_mismatch'>;

/** Ends an attempt before money moves, and at the provider by a task of the same commit. */
export async function cancelIntent(
  engine: Engine,
  caller: { readonly token: EmbedToken },
  input: { readonly intentId: string },
  idempotent: Idempotent<Intent> | null,
): Promise<Result<Answered<Intent>, CancelIntentRefusal>> {
  const done = await onePerKey(engine, idempotent, () =>
    execute(
      engine,
      {
        load: async () => (await readIntent(engine, caller.token, input.intentId)).andThen(cancellable),
        decide: (purchase) => ok(end(engine, purchase)),
      },
      idempotent,
    ),
  );
  return done.andThen(answered);
}

function cancellable(purchase: Purchase): Result<Purchase, CancelIntentRefusal> {
  const { intent } = purchase;
  if (!isLive(intent)) return refuse('intent_not_confirmable', `The intent is already ${intent.status}.`);
  // A step of unknown outcome may be charging the buyer right now, whatever the policy of expiry is.
  if (mayBeMoving(intent))
    return refuse('session_processing', 'The payment is being processed; it cannot be cancelled now.');
  return ok(purchase);
}

function end(engine: Engine, before: Purchase): Decision<Intent> {
  const scope = scopeOf(before.intent);
  const now = engine.clock.now(scope.mode);
  const ended = endIntent(before, now);
  const id = engine.ids.object(now);
  const cancelThere = newTask({ id, kind: 'provider_cancel', ...scope, subjectId: before.intent.id, dueAt: now }, now);
  return {
    change: { ...emptyChange(scope, now), ...purchaseWrites(before, ended), tasks: [cancelThere] },
    value: ended.intent,
  };
}
