import type { Scope } from '../../domain/mode.js';
import type { Flow } from '../../domain/session/terms.js';
import type { Provider } from '../../ports/provider.js';
import type { Engine } from '../engine.js';

/** The first provider that serves the flow; hosts order them by preference. */
export async function providerFor(engine: Engine, scope: Scope, flow: Flow): Promise<Provider | null> {
  for (const provider of engine.providers) {
    const { flows } = await provider.capabilities(scope);
    if (flows.includes(flow)) return provider;
  }
  return null;
}

/** The provider a stored intent was started with. Its absence is a fault of configuration. */
export function providerNamed(engine: Engine, name: string): Provider {
  const provider = findProvider(engine, name);
  if (provider === null) throw new Error(`No provider named "${name}" is configured, yet stored intents use it.`);
  return provider;
}

export function findProvider(engine: Engine, name: string): Provider | null {
  return engine.providers.find((provider) => provider.name === name) ?? null;
}
