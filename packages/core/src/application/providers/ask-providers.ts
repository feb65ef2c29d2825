import type { Mode } from '../../domain/mode.js';
import type { NotSent, Provider } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import type { Question } from './provider-health.js';

/** The result of calling one provider. */
export type Asked<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The parameters of a call, besides the provider. */
interface Asking<Answer> {
  readonly mode: Mode;
  /** The error budget for failures; null for calls without one. */
  readonly question: Question | null;
  readonly ask: (provider: Provider) => Promise<Answer>;
}

/**
 * Calls several providers concurrently and returns their answers in order. Providers that fail, time out or are over their error budget are
 * skipped, so that one failure does not affect other markets. Throws when there were providers and none answered.
 */
export async function askProviders<Answer>(
  engine: Engine,
  providers: readonly Provider[],
  asking: Asking<Answer>,
): Promise<readonly Answer[]> {
  const asked = await Promise.all(providers.map((provider) => askProvider(engine, provider, asking)));
  return answersOf(asked);
}

/** Returns the answers; throws the first failure if there are none. */
export function answersOf<Answer>(asked: readonly Asked<Answer>[]): readonly Answer[] {
  const answers = asked.flatMap((one) => (one.kind === 'answered' ? [one.answer] : []));
  const failure = asked.find((one) => one.kind === 'failed');
  if (answers.length === 0 && failure !== undefined) throw failure.error;
  return answers;
}

/** Calls one provider within `providerQuestionTimeout`. Failures are reported and count against the error budget, if any. */
export async function askProvider<Answer>(
  { deadlines, policy, telemetry, health }: Engine,
  provider: Provider,
  { mode, question, ask }: Asking<Answer>,
): Promise<Asked<Answer>> {
  const { name } = provider;
  if (health.isSkipped(name, mode)) {
    return { kind: 'failed', error: new ProviderUnavailable(`The provider ${name} is over its error budget.`) };
  }
  const asked = settled(() => ask(provider));
  const waited = await deadlines.within(asked, policy.providerQuestionTimeout);
  const done: Asked<Answer> =
    waited.kind === 'done'
      ? waited.value
      : { kind: 'failed', error: new ProviderUnavailable(`The provider ${name} did not answer in time.`) };
  if (done.kind === 'failed') {
    telemetry.failure(done.error, { provider: name });
    if (question !== null) health.failed(name, mode, question);
  } else if (question !== null) health.succeeded(name, mode, question);
  return done;
}

async function settled<Answer>(ask: () => Promise<Answer>): Promise<Asked<Answer>> {
  try {
    return { kind: 'answered', answer: await ask() };
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
