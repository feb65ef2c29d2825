import type { Capabilities } from '../../domain/capabilities/capabilities.js';
import { mergeCapabilities } from '../../domain/capabilities/merge-capabilities.js';
import type { Scope } from '../../domain/mode.js';
import type { Provider } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { askProviders } from '../providers/ask-providers.js';

/** A provider with what it serves this partner. */
export interface Offering {
  readonly provider: Provider;
  readonly served: Capabilities;
}

/** Of every provider that answers, in the host's order. */
export function readOfferings(engine: Engine, scope: Scope): Promise<readonly Offering[]> {
  return askProviders(engine, engine.providers, async (provider) => ({
    provider,
    served: await provider.capabilities(scope),
  }));
}

/** What is served to the partner, by whichever provider. */
export async function readCapabilities(engine: Engine, scope: Scope): Promise<Capabilities> {
  const offerings = await readOfferings(engine, scope);
  return mergeCapabilities(offerings.map(({ served }) => served));
}
