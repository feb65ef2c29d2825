import assert from 'node:assert/strict';
import { decimal, MINUTE, NO_DETAILS, type Decimal } from '@gateramp/core/domain';
import type {
  Confirmation,
  OperationOrder,
  Provider,
  ProviderAnswer,
  QuoteRequest,
  StartOrder,
  StepAnswer,
} from '@gateramp/core/ports';
import type { ProviderOnTrial } from './provider-subject.js';

/** Looks after which a payment must have ended. */
const LOOKS_MAX = 200;
const FINAL = new Set(['succeeded', 'failed', 'cancelled', 'refunded', 'charged_back']);

/** The operation of a start, at the present time. */
export function operationOf(trial: ProviderOnTrial, { operationId, mode }: StartOrder): OperationOrder {
  return { operationId, mode, now: trial.now() };
}

/** The same operation id in the other mode. */
export function inOtherMode(order: StartOrder): StartOrder {
  const mode = order.mode === 'test' ? 'live' : 'test';
  return { ...order, mode, intent: { ...order.intent, mode } };
}

export function start(trial: ProviderOnTrial, order: StartOrder, provider: Provider = trial.provider) {
  return provider.start({ ...order, now: trial.now() });
}

export function lookup(trial: ProviderOnTrial, order: StartOrder, provider: Provider = trial.provider) {
  return provider.lookup(operationOf(trial, order));
}

export function cancel(trial: ProviderOnTrial, order: StartOrder) {
  return trial.provider.cancel(operationOf(trial, order));
}

export function confirm(trial: ProviderOnTrial, order: StartOrder, confirmation: Confirmation) {
  return trial.provider.confirm({ ...operationOf(trial, order), intent: order.intent, confirmation });
}

/** The answer of a step that must have reached the provider. */
export function reached(answer: StepAnswer): ProviderAnswer {
  assert.ok('outcome' in answer, 'The step must reach the provider, but the answer is not_sent.');
  return answer;
}

/** The outcome of a call, or that it threw. */
export async function outcomeOrThrown(call: Promise<StepAnswer>): Promise<string> {
  return call.then(
    (answer) => ('outcome' in answer ? answer.outcome.kind : answer.kind),
    () => 'thrown',
  );
}

/** Starts a payment, does the buyer's part, and returns its end, which must be `succeeded`. */
export async function pay(trial: ProviderOnTrial, order: StartOrder): Promise<ProviderAnswer> {
  reached(await start(trial, order));
  const ended = await end(trial, order);
  assert.equal(ended.outcome.kind, 'succeeded');
  return ended;
}

/** The end of an operation, after the buyer has done what it requires. `cancelled` if the provider has never seen it. */
export async function end(trial: ProviderOnTrial, order: StartOrder): Promise<ProviderAnswer> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const answer = await lookup(trial, order);
    if (answer === null) return { outcome: { kind: 'cancelled' }, details: NO_DETAILS, checkAfterMs: null };
    const { outcome, checkAfterMs } = answer;
    if (FINAL.has(outcome.kind)) return answer;
    if (outcome.kind === 'requires_action') {
      assert.ok(trial.actions !== undefined, 'The payment requires an action: provide `actions`.');
      const confirmation = await trial.actions.act(outcome.nextAction);
      if (confirmation !== null) reached(await confirm(trial, order, confirmation));
    }
    await trial.wait(checkAfterMs ?? MINUTE);
  }
  return assert.fail(`The payment has not ended after ${LOOKS_MAX} lookups.`);
}

/** Follows the operation to its end: the processor must have moved its amount if it has succeeded, and else nothing. */
export async function expectTruth(trial: ProviderOnTrial, order: StartOrder): Promise<string> {
  const { outcome } = await end(trial, order);
  if (outcome.kind === 'succeeded') await expectTaken(trial, order.intent.amount);
  else await expectNothingKept(trial);
  return outcome.kind;
}

/** Of all payments together, and nothing of it was returned. */
export async function expectTaken(trial: ProviderOnTrial, amount: Decimal): Promise<void> {
  const { taken, returned } = await trial.money();
  expectAmount(taken, amount, 'The processor has taken');
  expectAmount(returned, '0', 'The processor has returned');
}

export async function expectReturned(trial: ProviderOnTrial, amount: Decimal): Promise<void> {
  expectAmount((await trial.money()).returned, amount, 'The processor has returned');
}

export async function expectNothingKept(trial: ProviderOnTrial): Promise<void> {
  const { taken, returned } = await trial.money();
  expectAmount(decimal.subtract(taken, returned), '0', 'The processor has kept');
}

export function expectAmount(found: Decimal, expected: Decimal, what: string): void {
  assert.ok(decimal.equals(found, expected), `${what} ${found} instead of ${expected}.`);
}

/** This many tenths of an amount. */
export function tenths(amount: Decimal, count: number): Decimal {
  return decimal.divideDown(decimal.multiply(amount, String(count)), '10', 8);
}

/** The request for quotes of an order. */
export function requestOf(trial: ProviderOnTrial, { intent }: StartOrder): QuoteRequest {
  const { partnerId, mode, flow, amount, currency, paymentMethod, countryCode } = intent;
  const { sourceToken, sourceNetwork, targetToken, targetNetwork } = intent;
  const terms = { sourceToken, sourceNetwork, targetToken, targetNetwork, paymentMethod, countryCode };
  return { scope: { partnerId, mode }, flow, amount, currency, ...terms, now: trial.now() };
}
