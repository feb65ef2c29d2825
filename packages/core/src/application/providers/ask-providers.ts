import type { Mode } from '../../domain/mode.js';
import type { NotSent, Provider } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import type { Question } from './provider-health.js';

/** The outcome of a question to one provider. */
export type Asked<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Everything that one question needs besides the provider. */
interface Asking<Answer> {
  readonly mode: Mode;
  /** The error budget that a failure counts against; null for what has none. */
  readonly question: Question | null;
  readonly ask: (provider: Provider) => Promise<Answer>;
}

/**
 * Asks several providers at once and returns their answers in the given order. One that fails, takes too long or is over its error
 * budget is left out, so that it does not take the others' markets with it. Throws when there were providers and none answered.
 */
export async function askProviders<Answer>(
  engine: Engine,
  providers: readonly Provider[],
  asking: Asking<Answer>,
): Promise<readonly Answer[]> {
  const asked = await Promise.all(providers.map((provider) => askProvider(engine, provider, asking)));
  return answersOf(asked);
}

/** The answers; throws the first failure when there are none. */
export function answersOf<Answer>(asked: readonly Asked<Answer>[]): readonly Answer[] {
  const answers = asked.flatMap((one) => (one.kind === 'answered' ? [one.answer] : []));
  const failure = asked.find((one) => one.kind === 'failed');
  if (answers.length === 0 && failure !== undefined) throw failure.error;
  return answers;
}

/** Asks one provider within `providerQuestionTimeout`. A failure is reported, and counts against its error budget if it has one. */
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

/** To callers an outage like that of the store: they may try again. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
  readonly outage = true;
}

/** A call that was not sent, for the operator's log. */
export function notReached({ reason }: NotSent): Error {
  return new Error(`The provider was not reached: ${reason}`);
}
