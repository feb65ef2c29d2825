import { type Intent, isConfirmedWithoutData, type NextAction } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { NO_DETAILS, type Outcome } from '../../domain/purchase/outcome.js';
import type { Task } from '../../domain/task.js';
import type { Confirmation, OperationOrder, Provider, ProviderAnswer } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { notReached } from '../providers/ask-providers.js';
import { providerNamed } from '../providers/route-provider.js';
import { intentForProvider } from '../quotes/price-ask.js';
import { commitOutcome, updateOf } from './commit-outcome.js';
import { loadPurchase } from './load-purchase.js';

/**
 * A provider step whose maker is gone. Its payment details went with it, so the operation is looked up, never sent again. One the provider
 * has never seen, or that still waits for what the lost call was bringing, is first closed there, so that nothing still on its way can
 * move money, and then the intent fails, retryable. Only what carries no data is
 * said again: "I have sent it", "I am back", "that is all of my documents".
 * The recovering worker may die too: an operation that is found closed is taken to have been closed by one of them.
 */
export async function recoverStep(engine: Engine, task: Task): Promise<void> {
  const { intent } = await loadPurchase(engine, scopeOf(task), task.subjectId);
  const provider = providerNamed(engine, intent.provider);
  const order = { operationId: intent.operationId, mode: task.mode, now: engine.clock.now(task.mode) };
  const known = await provider.lookup(order);
  const answer =
    known === null || mayStillArrive(task, intent, known)
      ? await finishLost(provider, order, task, intentForProvider(engine, intent))
      : known;
  await commitOutcome(engine, updateOf(intent, asInterrupted(answer), task));
}

/** The provider still asks for what was being given: the lost call may yet arrive. */
function mayStillArrive(task: Task, intent: Intent, { outcome }: ProviderAnswer): boolean {
  return (
    task.kind === 'provider_confirm' &&
    outcome.kind === 'requires_action' &&
    outcome.nextAction.type === intent.nextAction?.type
  );
}

async function finishLost(
  provider: Provider,
  order: OperationOrder,
  task: Task,
  intent: Intent,
): Promise<ProviderAnswer> {
  const confirmation = task.kind === 'provider_confirm' ? repeatable(intent.nextAction) : null;
  if (confirmation !== null) {
    const answer = await provider.confirm({ ...order, intent, confirmation });
    if (!('outcome' in answer)) throw notReached(answer);
    return answer;
  }
  return provider.cancel(order);
}

/** A confirmation that carries no data, so that it can be said again. Documents are with the provider already. */
function repeatable(action: NextAction | null): Confirmation | null {
  if (isConfirmedWithoutData(action)) return { action: action.type };
  if (action?.type !== 'kyc' || action.documents === undefined || action.fields.length > 0) return null;
  return { action: 'kyc', kyc: { ...NO_IDENTITY, documents: 'submitted' } };
}

const NO_IDENTITY = { firstName: null, lastName: null, dateOfBirth: null, documentNumber: null };

/** Closed before it began: the buyer may try again. Anything else is what it is. */
function asInterrupted(answer: ProviderAnswer): ProviderAnswer {
  return answer.outcome.kind === 'cancelled'
    ? { outcome: INTERRUPTED, details: NO_DETAILS, checkAfterMs: null }
    : answer;
}

const INTERRUPTED: Outcome = {
  kind: 'failed',
  failure: {
    code: 'error',
    stage: 'payment',
    message: 'The attempt was interrupted; nothing was charged.',
    retryable: true,
  },
};
