import { err, ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import { type Intent, isLive, lapseFailure } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { mayBeMoving } from '../../domain/purchase/begin-purchase.js';
import { endIntent, failIntent, hasLapsed } from '../../domain/purchase/end-intent.js';
import type { Purchase, PurchaseStep } from '../../domain/purchase/purchase.js';
import { followIntent } from '../../domain/rails/follow-intent.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { type Change, emptyChange } from '../../ports/change.js';
import { apply, type Decision, unchanged } from '../commit/apply.js';
import { type Audience, loadAudience, purchaseEvents, purchaseWrites } from '../commit/row-writes.js';
import { type EmbedToken, sessionOfToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { executeKeyed, type Keyed } from '../idempotency/keyed.js';
import { cancelAtProvider } from '../sessions/close-session.js';
import { loadPurchase } from './load-purchase.js';

/** Fails an intent whose required action has expired, on the first read after the deadline or by its task, whichever is first. */
export async function lapseIfDue(engine: Engine, intent: Intent): Promise<Purchase> {
  const scope = scopeOf(intent);
  const { outcome, value } = await apply(engine, {
    load: async () => {
      const purchase = await loadPurchase(engine, scope, intent.id);
      const now = engine.clock.now(scope.mode);
      return { purchase, now, audience: hasLapsed(purchase.intent, now) ? await loadAudience(engine, scope) : null };
    },
    decide: ({ purchase, now, audience }) =>
      audience === null ? unchanged(purchase) : { change: lapse(engine, purchase, audience, now), value: purchase },
  });
  return outcome === 'unchanged' ? value : loadPurchase(engine, scope, intent.id);
}

function lapse(engine: Engine, before: Purchase, audience: Audience, now: Instant): Change {
  const { intent } = before;
  const scope = scopeOf(intent);
  const { purchase, announcements } = failed(before, now);
  return {
    ...emptyChange(scope, now),
    ...purchaseWrites(before, purchase),
    ...purchaseEvents(engine, audience, purchase, announcements, now),
    tasks: [cancelAtProvider(engine, intent, now)],
  };
}

function failed(before: Purchase, now: Instant): PurchaseStep {
  const failure = lapseFailure(before.intent.nextAction);
  return before.session === null ? followIntent(failIntent(before, failure, now)) : failIntent(before, failure, now);
}

export type RetrieveIntentRefusal = Refusal<
  'intent_not_found' | 'session_not_found' | 'session_required' | 'invalid_embed_token'
>;

/** Retrieves an intent of the token's session; an expired action is failed first. */
export async function retrieveIntent(
  engine: Engine,
  token: EmbedToken,
  id: string,
): Promise<Result<Purchase, RetrieveIntentRefusal>> {
  if (token.sessionId === null) {
    return refuse('session_required', 'This checkout was opened without a session; create one on your server first.');
  }
  const session = await sessionOfToken(engine, token);
  if (session.isErr()) return err(session.error);
  const intent = await engine.store.find('intent', token.scope, id);
  if (intent?.sessionId !== token.sessionId) return refuse('intent_not_found', 'This session has no such intent.');
  return ok(await lapseIfDue(engine, intent));
}

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
  const now = engine.clock.now(scope.mode);
  const ended = endIntent(before, now);
  const tasks = [cancelAtProvider(engine, before.intent, now)];
  return {
    change: { ...emptyChange(scope, now), ...purchaseWrites(before, ended), tasks },
    value: ended.intent,
  };
}
