import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { pausedSince } from '../../domain/partner/partner.js';
import { UNTRIED, type EndpointHealth } from '../../domain/webhook/endpoint-health.js';
import { webhookSecretPrefix } from '../../domain/webhook/secret-rotation.js';
import type { Engine } from '../engine.js';

/** Where a partner's webhooks of one mode go, and how that has gone. */
export interface EndpointState {
  readonly url: string | null;
  readonly secretPrefix: string | null;
  readonly pausedAt: Instant | null;
  readonly health: EndpointHealth;
}

export async function readEndpoint({ partners, store, crypto }: Engine, scope: Scope): Promise<EndpointState> {
  const [endpoint, health] = await Promise.all([partners.findEndpoint(scope), store.find('endpoint_health', scope)]);
  const current = endpoint?.secrets.find(({ expiresAt }) => expiresAt === null);
  return {
    url: endpoint?.url ?? null,
    secretPrefix: current === undefined ? null : webhookSecretPrefix(crypto.openSecret(current.sealed, scope)),
    pausedAt: pausedSince(endpoint),
    health: health ?? UNTRIED,
  };
}
