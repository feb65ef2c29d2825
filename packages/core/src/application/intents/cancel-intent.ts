import { ok, type Result } from 'neverthrow';
import { type Intent, isLive } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { mayBeMoving } from '../../domain/purchase/begin-purchase.js';
import { endIntent } from '../../domain/purchase/end-intent.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import type { Decision } from '../commit/apply.js';
import { purchaseWrites } from '../commit/row-writes.js';
import type { EmbedToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { executeKeyed, type Keyed } from '../idempotency/keyed.js';
import { cancelAtProvider } from '../sessions/close-session.js';
import { retrieveIntent, type RetrieveIntentRefusal } from './read-intents.js';

type CancelIntentRefusal = RetrieveIntentRefusal | Refusal<'intent_not_confirmable' | 'session_processing'>;

/** Cancels an attempt before money moves; a task of the same commit cancels it at the provider. */
export function cancelIntent(
  engine: Engine,
  caller: { readonly token: EmbedToken },
  input: { readonly intentId: string },
  idempotent: Idempotent<Intent> | null,
): Keyed<Intent, CancelIntentRefusal> {
  return executeKeyed(
    engine,
    {
      load: async () => (await retrieveIntent(engine, caller.token, input.intentId)).andThen(cancellable),
      decide: (purchase) => ok(end(engine, purchase)),
    },
    idempotent,
  );
}

function cancellable(purchase: Purchase): Result<Purchase, CancelIntentRefusal> {
  const { intent } = purchase;
  if (!isLive(intent)) return refuse('intent_not_confirmable', `The intent is already ${intent.status}.`);
  // A step of unknown outcome may be charging the buyer now, whatever the expiry policy is.
  if (mayBeMoving(intent))
    return refuse('session_processing', 'The payment is being processed; it cannot be cancelled now.');
  return ok(purchase);
}

function end(engine: Engine, before: Purchase): Decision<Intent> {
  const scope = scopeOf(before.intent);
  const now = engine.clock.now(scope);
  const ended = endIntent(before, now);
  const tasks = [cancelAtProvider(engine, before.intent, now)];
  return {
    change: { ...emptyChange(scope, now), ...purchaseWrites(before, ended), tasks },
    value: ended.intent,
  };
}
