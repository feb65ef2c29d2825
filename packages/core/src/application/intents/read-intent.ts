import { err, ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import { lapseFailure, type Intent } from '../../domain/intent/intent.js';
import { failIntent, hasLapsed, type Purchase } from '../../domain/purchase/purchase.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { newTask } from '../../domain/task/task.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { EmbedToken } from '../embed/embed-token.js';
import { sessionOfToken } from '../embed/embed-token.js';
import { commitChange } from '../commit-change.js';
import type { Engine } from '../engine.js';
import { TryAgain } from '../try-again.js';
import { purchaseWrites, sessionEvents } from '../writes.js';
import { loadPurchase } from './load-purchase.js';

export type ReadIntentRefusal = Refusal<
  'intent_not_found' | 'session_not_found' | 'session_required' | 'invalid_embed_token'
>;

/** An intent of the token's own session, its lapsed action failed first. */
export async function readIntent(
  engine: Engine,
  token: EmbedToken,
  id: string,
): Promise<Result<Purchase, ReadIntentRefusal>> {
  if (token.sessionId === null) {
    return refuse('session_required', 'This checkout was opened without a session; create one on your server first.');
  }
  const session = await sessionOfToken(engine, token);
  if (session.isErr()) return err(session.error);
  const intent = await engine.store.findIntent(token.scope, id);
  if (intent?.sessionId !== token.sessionId) return refuse('intent_not_found', 'This session has no such intent.');
  return ok(await lapseIfDue(engine, intent));
}

/** A required action lapses on the first read after its time, or by its task, whichever is first. */
export async function lapseIfDue(engine: Engine, intent: Intent): Promise<Purchase> {
  const scope = { partnerId: intent.partnerId, mode: intent.mode };
  for (let attempt = 0; attempt < engine.policy.decisionsMax; attempt += 1) {
    const purchase = await loadPurchase(engine, scope, intent.id);
    const now = engine.clock.now(scope.mode);
    if (!hasLapsed(purchase.intent, now)) return purchase;
    const outcome = await commitChange(engine, await lapse(engine, purchase, now));
    if (outcome.kind !== 'committed') continue;
    engine.scheduler.wake([{ delayMs: 0 }]);
    return loadPurchase(engine, scope, intent.id);
  }
  throw new TryAgain();
}

async function lapse(engine: Engine, before: Purchase, now: Instant): Promise<Change> {
  const { intent } = before;
  const scope = { partnerId: intent.partnerId, mode: intent.mode };
  const failed = failIntent(before, lapseFailure(intent.nextAction), now);
  return {
    ...emptyChange(scope, now),
    ...purchaseWrites(before, failed.purchase),
    ...(await sessionEvents(engine, failed.purchase.session, failed.announcements, now)),
    tasks: [
      newTask({ id: engine.ids.object(now), kind: 'provider_cancel', ...scope, subjectId: intent.id, dueAt: now }, now),
    ],
  };
}
