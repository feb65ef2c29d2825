import { ok, type Result } from 'neverthrow';
import { type RailPayment, type Refusal, type Scope, refuse } from '@gateramp/core/domain';
import { operationInProgress } from '@gateramp/core/extension';
import { PAYMENT_ANSWERS, commitOutcome, providerNamed, updateOf } from '@gateramp/core/purchases';
import type { Simulator } from './simulate.js';

export const RAIL_SCENARIOS = ['succeed', 'fail', 'processing'] as const;

type RailScenario = (typeof RAIL_SCENARIOS)[number];

type SimulateRailsRefusal = Refusal<'intent_not_found' | 'corridor_not_supported' | 'operation_in_progress'>;

/**
 * Simulates that a payment's money arrives, fails, or is on its way until the next call. Money for a payment that has ended is a late
 * settlement, as with any provider.
 */
export async function simulateRails(
  { engine, control }: Simulator,
  scope: Scope,
  id: string,
  scenario: RailScenario,
): Promise<Result<RailPayment, SimulateRailsRefusal>> {
  const intent = await engine.store.find('intent', scope, id);
  if (intent?.sessionId !== null) return refuse('intent_not_found', 'There is no such pay-in or pay-out for this key.');
  if (control?.provider !== intent.provider)
    return refuse('corridor_not_supported', 'No sandbox provider serves this payment.');
  if (intent.stepTaskId !== null) return operationInProgress();
  const order = { operationId: intent.operationId, mode: intent.mode, now: engine.clock.now(intent) };
  await control.settle(intent.operationId, OUTCOMES[scenario], order.now);
  const answer = await providerNamed(engine, intent.provider).lookup(order);
  if (answer === null) throw new Error('The sandbox has no record of an operation.');
  const done = await commitOutcome(engine, updateOf(intent, answer, null));
  if (done.isErr()) throw new Error('A simulated outcome takes no key.');
  return ok(await PAYMENT_ANSWERS.stored(engine, intent));
}

const OUTCOMES = { succeed: 'succeeded', fail: 'failed', processing: 'processing' } as const;
