import { type Capabilities, mergeCapabilities } from '../../domain/capabilities/capabilities.js';
import { restrictCapabilities } from '../../domain/capabilities/restrict-capabilities.js';
import type { Mode, Scope } from '../../domain/mode.js';
import { type Partner, savesMethods } from '../../domain/partner/partner.js';
import type { Provider } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { answersOf, callProvider, type CallResult } from '../providers/call-providers.js';

/** The partner for whom providers are called. */
export interface MarketCaller {
  readonly partner: Partner;
  readonly scope: Scope;
}

/** A provider with its capabilities for this partner, restrictions applied. */
export interface Offering {
  readonly provider: Provider;
  readonly served: Capabilities;
}

/** Whether the provider accepts new quotes, attempts or trades in the mode. */
export function takesOn({ modes }: { readonly modes?: readonly Mode[] }, mode: Mode): boolean {
  return modes === undefined || modes.includes(mode);
}

/** Each provider's capabilities for the partner, in the host's order, including providers that failed to answer. */
export function callForOfferings(
  engine: Engine,
  { partner, scope }: MarketCaller,
): Promise<readonly CallResult<Offering>[]> {
  const call = async (provider: Provider): Promise<Offering> => ({
    provider,
    served: served(partner, await provider.capabilities(scope)),
  });
  const serving = engine.providers.filter((provider) => takesOn(provider, scope.mode));
  return Promise.all(
    serving.map((provider) => callProvider(engine, provider, { mode: scope.mode, question: 'capabilities', call })),
  );
}

function served(partner: Partner, capabilities: Capabilities): Capabilities {
  const all = restrictCapabilities(capabilities, partner.restrictions);
  return savesMethods(partner) ? all : { ...all, savable: [] };
}

/** The capabilities of each provider that answers. Throws when there are providers and none answers. */
export async function readOfferings(engine: Engine, caller: MarketCaller): Promise<readonly Offering[]> {
  return answersOf(await callForOfferings(engine, caller));
}

/** The merged capabilities of the providers that answer. */
export async function retrieveCapabilities(engine: Engine, caller: MarketCaller): Promise<Capabilities> {
  const offerings = await readOfferings(engine, caller);
  return mergeCapabilities(offerings.map(({ served }) => served));
}
