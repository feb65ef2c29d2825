import { type Intent, isConfirmedWithoutData, type NextAction } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { NO_DETAILS, type Outcome } from '../../domain/purchase/outcome.js';
import type { Task } from '../../domain/task.js';
import type { Confirmation, OperationOrder, Provider, ProviderAnswer } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { notReached } from '../providers/call-providers.js';
import { providerNamed } from '../providers/route-provider.js';
import { intentForProvider } from '../quotes/find-offers.js';
import { commitOutcome, updateOf } from './commit-outcome.js';
import { loadPurchase } from './read-intents.js';

/**
 * Recovers a provider step whose process is gone. Its payment details were lost with the process, so the operation is looked up and never
 * sent again. If the provider has never seen the operation, or still waits for the data of the lost call, the operation is first cancelled
 * there, so that a delayed call cannot move money; then the intent fails as retryable. Only confirmations without data are repeated, such
 * as "deposit sent", "returned from the redirect" or "all documents uploaded". The recovering worker may crash too, so an operation that is
 * found closed counts as closed by a recovery.
 */
export async function recoverStep(engine: Engine, task: Task): Promise<void> {
  const { intent } = await loadPurchase(engine, scopeOf(task), task.subjectId);
  const provider = providerNamed(engine, intent.provider);
  const order = { operationId: intent.operationId, mode: task.mode, now: engine.clock.now(task) };
  const known = await provider.lookup(order);
  const answer =
    known === null || mayStillArrive(task, intent, known)
      ? await finishLost(provider, order, task, intentForProvider(engine, intent))
      : known;
  await commitOutcome(engine, updateOf(intent, asInterrupted(answer), task));
}

/** The provider still waits for the data of the lost call, which may yet arrive. */
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

/** A confirmation without data, which is safe to repeat. Uploaded documents are already with the provider. */
function repeatable(action: NextAction | null): Confirmation | null {
  if (isConfirmedWithoutData(action)) return { action: action.type };
  if (action?.type !== 'kyc' || action.documents === undefined || action.fields.length > 0) return null;
  return { action: 'kyc', kyc: { ...NO_IDENTITY, documents: 'submitted' } };
}

const NO_IDENTITY = { firstName: null, lastName: null, dateOfBirth: null, documentNumber: null };

/** An operation cancelled before it began becomes a retryable failure; other answers are passed through. */
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
