import { err, ok, type Result } from 'neverthrow';
import { isLive, type Intent } from '../../domain/intent/intent.js';
import { endIntent, mayBeMoving } from '../../domain/purchase/purchase.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { newTask } from '../../domain/task/task.js';
import { emptyChange } from '../../ports/change.js';
import type { EmbedToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import { execute } from '../execute.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { purchaseWrites } from '../writes.js';
import { readIntent, type ReadIntentRefusal } from './read-intent.js';

export type CancelIntentRefusal =
  | ReadIntentRefusal
  | Refusal<'intent_not_confirmable' | 'session_processing' | 'operation_in_progress' | 'idempotency_key_mismatch'>;

/** Ends an attempt before money moves, and tells the provider by a task of the same commit. */
export async function cancelIntent(
  engine: Engine,
  caller: { readonly token: EmbedToken },
  input: { readonly intentId: string },
  idempotent: Idempotent<Intent> | null,
): Promise<Result<Answered<Intent>, CancelIntentRefusal>> {
  const { scope } = caller.token;
  const done = await onePerKey(engine, idempotent, () =>
    execute<Intent, CancelIntentRefusal['code']>(
      engine,
      async () => {
        const read = await readIntent(engine, caller.token, input.intentId);
        if (read.isErr()) return err(read.error);
        const before = read.value;
        const { intent } = before;
        if (!isLive(intent)) return refuse('intent_not_confirmable', `The intent is already ${intent.status}.`);
        // A step whose outcome nobody knows may be charging the buyer this moment, whatever the policy of expiry is.
        if (mayBeMoving(intent))
          return refuse('session_processing', 'The payment is being processed; it cannot be cancelled now.');
        const now = engine.clock.now(scope.mode);
        const ended = endIntent(before, now);
        const tell = newTask(
          { id: engine.ids.object(now), kind: 'provider_cancel', ...scope, subjectId: intent.id, dueAt: now },
          now,
        );
        const change = { ...emptyChange(scope, now), ...purchaseWrites(before, ended), tasks: [tell] };
        return ok({ change, value: ended.intent });
      },
      idempotent,
    ),
  );
  return done.andThen(answered);
}
