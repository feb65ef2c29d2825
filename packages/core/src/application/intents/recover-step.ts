import type { FailureCode } from '../../domain/intent/intent.js';
import { NO_DETAILS } from '../../domain/purchase/outcome.js';
import type { Task } from '../../domain/task/task.js';
import type { ProviderAnswer } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { providerNamed } from '../providers/route-provider.js';
import { commitOutcome, newsOf } from './commit-outcome.js';
import { loadPurchase } from './load-purchase.js';

/**
 * A provider step whose maker is gone. Its payment details went with it, so the operation is
 * looked up, never sent again. One the provider has never seen is first closed there, so that
 * nothing still on its way can start it, and then the intent fails, retryable.
 */
export async function recoverStep(engine: Engine, task: Task): Promise<void> {
  const scope = { partnerId: task.partnerId, mode: task.mode };
  const { intent } = await loadPurchase(engine, scope, task.subjectId);
  const provider = providerNamed(engine, intent.provider);
  const order = { operationId: intent.operationId, mode: task.mode, now: engine.clock.now(task.mode) };
  const known = await provider.lookup(order);
  const answer = known ?? neverStarted(await provider.cancel(order));
  await commitOutcome(engine, newsOf(intent, answer, task));
}

/** Closed before it began: the buyer may try again. Anything else is what it is. */
function neverStarted(cancelled: ProviderAnswer): ProviderAnswer {
  if (cancelled.outcome.kind !== 'cancelled') return cancelled;
  const code: FailureCode = 'error';
  return {
    outcome: {
      kind: 'failed',
      failure: { code, stage: 'payment', message: 'The attempt was interrupted; nothing was charged.', retryable: true },
    },
    details: NO_DETAILS,
    checkAfterMs: null,
  };
}
