import { MINUTE, SECOND } from '../../domain/instant.js';
import type { Mode } from '../../domain/mode.js';
import type { NotSent, Provider, ProviderTestWork } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import type { Question } from './provider-health.js';

/** The result of calling one provider. */
export type CallResult<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The parameters of a call, besides the provider. */
interface ProviderCall<Answer> {
  readonly mode: Mode;
  /** The error budget for failures; null for calls without one. */
  readonly question: Question | null;
  readonly call: (provider: Provider) => Promise<Answer>;
}

/**
 * Calls several providers concurrently and returns their answers in order. Providers that fail, time out or are over their error budget are
 * skipped, so that one failure does not affect other markets. Throws when there were providers and none answered.
 */
export async function callProviders<Answer>(
  engine: Engine,
  providers: readonly Provider[],
  call: ProviderCall<Answer>,
): Promise<readonly Answer[]> {
  const results = await Promise.all(providers.map((provider) => callProvider(engine, provider, call)));
  return answersOf(results);
}

/** Returns the answers; throws the first failure if there are none. */
export function answersOf<Answer>(results: readonly CallResult<Answer>[]): readonly Answer[] {
  const answers = results.flatMap((one) => (one.kind === 'answered' ? [one.answer] : []));
  const failure = results.find((one) => one.kind === 'failed');
  if (answers.length === 0 && failure !== undefined) throw failure.error;
  return answers;
}

/** Calls one provider within `providerQuestionTimeout`. Failures are reported and count against the error budget, if any. */
export async function callProvider<Answer>(
  { deadlines, policy, telemetry, health }: Engine,
  provider: Provider,
  { mode, question, call }: ProviderCall<Answer>,
): Promise<CallResult<Answer>> {
  const { name } = provider;
  if (health.isSkipped(name, mode)) {
    return { kind: 'failed', error: new ProviderUnavailable(`The provider ${name} is over its error budget.`) };
  }
  const result = settled(() => call(provider));
  const waited = await deadlines.within(result, policy.providerQuestionTimeout);
  const done: CallResult<Answer> =
    waited.kind === 'done'
      ? waited.value
      : { kind: 'failed', error: new ProviderUnavailable(`The provider ${name} did not answer in time.`) };
  if (done.kind === 'failed') {
    telemetry.failure(done.error, { provider: name });
    if (question !== null) health.failed(name, mode, question);
  } else if (question !== null) health.succeeded(name, mode, question);
  return done;
}

/** The answer to a question within `providerQuestionTimeout`; later is an outage. */
export async function inTime<Answer>(
  { deadlines, policy }: Engine,
  name: string,
  question: Promise<Answer>,
): Promise<Answer> {
  const waited = await deadlines.within(question, policy.providerQuestionTimeout);
  if (waited.kind === 'done') return waited.value;
  throw new ProviderUnavailable(`The provider ${name} did not answer in time.`);
}

/** Above the limit of one call of a leg, which a pause waits for. */
const TEST_WORK_MAX_MS = MINUTE;

/** The test work of a provider with a time limit on each call: until they settle, nobody else can advance the clock. */
export function testWorkOf(
  { deadlines }: Pick<Engine, 'deadlines'>,
  { name, testWork }: Provider,
): ProviderTestWork | null {
  if (testWork === undefined) return null;
  const limited = async <Value>(member: keyof ProviderTestWork, work: Promise<Value>): Promise<Value> => {
    const waited = await deadlines.within(work, TEST_WORK_MAX_MS);
    if (waited.kind === 'done') return waited.value;
    throw new Error(`testWork.${member} of provider ${name} did not settle within ${TEST_WORK_MAX_MS / SECOND} s.`);
  };
  return {
    due: async (query) => limited('due', testWork.due(query)),
    run: async (id, now) => limited('run', testWork.run(id, now)),
    pause: async (partnerId) => {
      const paused = testWork.pause(partnerId);
      let isLate = false;
      paused.then((resume) => isLate && resume()).catch(() => undefined);
      return limited('pause', paused).catch((error: unknown) => {
        isLate = true;
        throw error;
      });
    },
  };
}

async function settled<Answer>(call: () => Promise<Answer>): Promise<CallResult<Answer>> {
  try {
    return { kind: 'answered', answer: await call() };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** Handled as an outage, like one of the store: callers may retry. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
  readonly outage = true;
}

/** An unsent call as an error, for the operator's log. */
export function notReached({ reason }: NotSent): Error {
  return new Error(`The provider was not reached: ${reason}`);
}
