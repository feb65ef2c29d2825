import { apply } from '../../application/commit/apply.js';
import type { Engine } from '../../application/engine.js';
import { releasePaused } from '../../application/deliveries/release-paused.js';
import { withBoundSecrets } from '../../application/webhooks/webhook-endpoint.js';
import { MODES, scopeOf, type Scope } from '../../domain/mode.js';
import type { WebhookEndpoint } from '../../domain/partner/partner.js';
import { emptyChange } from '../../ports/change.js';
import {
  callerProblems,
  endpointProblems,
  partnerIdProblems,
  scopeProblems,
  webhookSecretProblems,
} from '../checks/check-administration.js';
import { partnerStoreOf } from './partners.js';
import { GateArgumentError, throwIfAny } from '../checks/argument-error.js';

export interface EndpointAdministration {
  /** Sets where webhooks go; `secret` null keeps the secrets there are, those of a rotation that is made meanwhile too. */
  setEndpoint(scope: Scope, endpoint: { readonly url: string | null; readonly secret: string | null }): Promise<void>;
  /**
   * Sends nothing to the endpoint until it is resumed, and counts no attempt. Deliveries are still written and wait. An attempt that is
   * under way ends as usual. Pausing twice changes nothing.
   */
  pauseEndpoint(scope: Scope): Promise<WebhookEndpoint>;
  /** Sends what waited, in its order and within the limits of the endpoint, unless its partner is paused as well. */
  resumeEndpoint(scope: Scope): Promise<WebhookEndpoint>;
  /** Pauses the endpoints of both modes, those that are set later included. */
  pausePartner(partnerId: string): Promise<void>;
  /** Ends a pause of the partner. An endpoint that was paused by itself stays paused. */
  resumePartner(partnerId: string): Promise<void>;
  /** The endpoint as stored, its secrets sealed; null when none was ever set. */
  findEndpoint(scope: Scope): Promise<WebhookEndpoint | null>;
  /**
   * A signing secret as `findEndpoint` of a host's own `Partners` answers it: sealed under the master key, and with an `owner` for that
   * partner and mode alone.
   */
  sealSecret(secret: string, owner?: Scope): Promise<string>;
}

export function endpointAdministration(engine: Engine, ready: () => Promise<void>): EndpointAdministration {
  const { clock, crypto } = engine;
  const change = async (
    scope: Scope,
    next: (known: WebhookEndpoint | null) => WebhookEndpoint,
  ): Promise<WebhookEndpoint> => {
    const store = partnerStoreOf(engine);
    const { value } = await apply(engine, {
      load: () => store.findEndpoint(scope),
      decide: (known) => {
        const row = next(known);
        const now = clock.now(scope.mode);
        return { change: { ...emptyChange(scope, now), endpoints: [{ row, expected: known }] }, value: row };
      },
    });
    return value;
  };
  return {
    setEndpoint: async (scope, endpoint) => {
      throwIfAny('setEndpoint received invalid arguments', scopeProblems(scope), endpointProblems(endpoint));
      const { url, secret } = endpoint;
      const store = partnerStoreOf(engine);
      await ready();
      const secretsOf = (known: WebhookEndpoint | null): WebhookEndpoint['secrets'] => {
        if (secret !== null)
          return [{ sealed: crypto.sealSecret(secret, scope), createdAt: clock.now(scope.mode), expiresAt: null }];
        if (known === null) return [];
        // A server sets the same URL again at every start, where the previous version may still have to open the secrets.
        return known.url === url ? known.secrets : withBoundSecrets(crypto, known).secrets;
      };
      await apply(engine, {
        load: () => store.findEndpoint(scope),
        decide: (known) => {
          const isUnsigned = url !== null && secret === null && (known === null || known.secrets.length === 0);
          throwIfAny(
            'setEndpoint received invalid arguments',
            isUnsigned ? ['secret must be given with the first url: without one no webhook could be signed.'] : [],
          );
          const now = clock.now(scope.mode);
          const row = { ...known, ...scopeOf(scope), url, secrets: secretsOf(known) };
          return { change: { ...emptyChange(scope, now), endpoints: [{ row, expected: known }] }, value: null };
        },
      });
    },
    pauseEndpoint: async (scope) => {
      throwIfAny('pauseEndpoint received invalid arguments', scopeProblems(scope));
      return change(scope, (known) => {
        const before = known ?? noEndpoint('pauseEndpoint');
        return { ...before, pausedAt: before.pausedAt ?? clock.now(scope.mode) };
      });
    },
    resumeEndpoint: async (scope) => {
      throwIfAny('resumeEndpoint received invalid arguments', scopeProblems(scope));
      const row = await change(scope, (known) => ({ ...(known ?? noEndpoint('resumeEndpoint')), pausedAt: null }));
      await releasePaused(engine);
      return row;
    },
    pausePartner: async (partnerId) => {
      throwIfAny('pausePartner received invalid arguments', partnerIdProblems(partnerId));
      for (const scope of scopesOf(partnerId))
        await change(scope, (known) => ({
          ...(known ?? { ...scope, url: null, secrets: [] }),
          partnerPausedAt: known?.partnerPausedAt ?? clock.now(scope.mode),
        }));
    },
    resumePartner: async (partnerId) => {
      throwIfAny('resumePartner received invalid arguments', partnerIdProblems(partnerId));
      for (const scope of scopesOf(partnerId))
        if ((await partnerStoreOf(engine).findEndpoint(scope)) !== null)
          await change(scope, (known) => ({
            ...(known ?? { ...scope, url: null, secrets: [] }),
            partnerPausedAt: null,
          }));
      await releasePaused(engine);
    },
    findEndpoint: async (scope) => {
      throwIfAny('findEndpoint received invalid arguments', scopeProblems(scope));
      return partnerStoreOf(engine).findEndpoint(scope);
    },
    sealSecret: async (secret, owner) => {
      const ownerProblems = owner === undefined ? [] : callerProblems(owner);
      throwIfAny('sealSecret received invalid arguments', webhookSecretProblems(secret), ownerProblems);
      await ready();
      return crypto.sealSecret(secret, owner);
    },
  };
}

function scopesOf(partnerId: string): readonly Scope[] {
  return MODES.map((mode) => ({ partnerId, mode }));
}

function noEndpoint(call: string): never {
  throw new GateArgumentError(`${call} received invalid arguments`, [
    'this partner has no webhook endpoint in this mode; set one with setEndpoint first.',
  ]);
}
