import type { Scope } from '../../domain/mode.js';
import type { DeliveryWrite } from '../../ports/change.js';
import type { KnownConsumers } from '../deliveries/consumers.js';
import type { Engine } from '../engine.js';

/** Whom events of a partner are owed to, as far as it is known before the commit. */
export interface Audience {
  readonly webhook: DeliveryWrite['when'] | 'never';
  readonly consumers: KnownConsumers;
}

/** To be loaded before every decision that may announce something. The commit refuses consumers that have become old. */
export async function loadAudience(engine: Engine, scope: Scope): Promise<Audience> {
  const { partners, partnerStore, consumers } = engine;
  // Our own store looks at commit; a host's tenants are asked just before it.
  const webhook = partners === partnerStore ? 'endpoint_set' : await hostsCondition(partners, scope);
  return { webhook, consumers: await consumers.known() };
}

async function hostsCondition(partners: Engine['partners'], scope: Scope): Promise<'always' | 'never'> {
  const endpoint = await partners.findEndpoint(scope);
  return endpoint?.url ? 'always' : 'never';
}
