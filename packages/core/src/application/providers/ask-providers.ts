import type { Provider } from '../../ports/provider.js';
import type { Engine } from '../engine.js';

/**
 * Asks several providers at once, and gives what came back in their order. One that fails or takes too long is reported and
 * left out: it must not take the others' markets with it. Throws when none is left.
 */
export async function askProviders<Answer>(
  engine: Engine,
  providers: readonly Provider[],
  ask: (provider: Provider) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const asked = await Promise.all(providers.map((provider) => askOne(engine, provider, ask)));
  const answers = asked.flatMap((one) => (one.kind === 'answered' ? [one.answer] : []));
  const failure = asked.find((one) => one.kind === 'failed');
  if (answers.length === 0 && failure !== undefined) throw failure.error;
  return answers;
}

type Asked<Answer> =
  { readonly kind: 'answered'; readonly answer: Answer } | { readonly kind: 'failed'; readonly error: unknown };

async function askOne<Answer>(
  { deadlines, policy, telemetry }: Engine,
  provider: Provider,
  ask: (provider: Provider) => Promise<Answer>,
): Promise<Asked<Answer>> {
  const asked = ask(provider).then(
    (answer): Asked<Answer> => ({ kind: 'answered', answer }),
    (error: unknown): Asked<Answer> => ({ kind: 'failed', error }),
  );
  const waited = await deadlines.within(asked, policy.providerAnswerTimeout);
  const done: Asked<Answer> =
    waited.kind === 'done' ? waited.value : { kind: 'failed', error: new ProviderLate(provider.name) };
  if (done.kind === 'failed') telemetry.failure(done.error, { provider: provider.name });
  return done;
}

/** To callers an outage like that of the store: they may ask again. */
class ProviderLate extends Error {
  override readonly name = 'ProviderLate';
  readonly outage = true;

  constructor(provider: string) {
    super(`The provider ${provider} did not answer in time.`);
  }
}
